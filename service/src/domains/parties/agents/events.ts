import type { AgentStatus } from '@batua/contract'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import type { NewEvent } from '../../../operations/event.ts'

/** The event of a changed agent status. */
export function statusEvent(agentId: Uuid, from: AgentStatus, to: AgentStatus): NewEvent {
  const data = { agent_id: formatId('agt', agentId), status: to, previous_status: from }
  return { name: 'agent.status.changed', agentId, data }
}
