import type { AgentStatus } from '@batua/contract'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import type { NewEvent } from '../../../operations/event.ts'

/** That an agent stands otherwise than before. */
export function statusEvent(agentId: Uuid, from: AgentStatus, to: AgentStatus): NewEvent {
  const data = { agent_id: formatId('agt', agentId), status: to, previous_status: from }
  return { name: 'agent.status.changed', agentId, data }
}
