import type { AgentStatus } from '@batua/contract'
import type { Queryable } from '../../../db/database.ts'
import { type RowVersion, writeMacs } from '../../../db/row-mac.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import type { Act, Recording } from '../../../operations/act.ts'
import { recordFacts } from '../../../operations/record.ts'
import { recordEvents } from '../../../operations/record-events.ts'
import { AGENT_ROWS } from '../../limits/index.ts'
import { revokeAllOf } from '../../signing/index.ts'
import { endMemberships } from '../organizations/member-store.ts'
import { agentAct, statusEvent } from './acts.ts'

/** An agent that was just deactivated, and its status before. */
export interface DeactivatedAgent {
  readonly id: Uuid
  readonly from: AgentStatus
}

/**
 * Revokes the certificates and ends the memberships of deactivated agents, in the commit that deactivates them. It runs
 * after the agents are written: issuing a certificate locks the agent's row, so none is issued concurrently.
 */
export async function endDependents(
  tx: Queryable,
  agents: readonly DeactivatedAgent[],
  recording: Recording,
  written: readonly RowVersion[] = [],
): Promise<void> {
  const { actor, vault, now } = recording
  const ids = agents.map(({ id }) => id)
  await revokeAllOf(tx, ids, recording)
  const ended = agents.filter(({ from }) => from !== 'deactivated')
  const acts: Act[] = ended.map(agent => agentAct(actor, 'agent.deactivated', agent, { from: agent.from }))
  for (const { agentId, orgId, role } of await endMemberships(tx, ids)) {
    const data = { role, reason: 'agent deactivated' }
    acts.push({ agentId, actor, action: 'org.member_removed', target: formatId('org', orgId), data })
  }
  const versions = await writeMacs(tx, vault, AGENT_ROWS, ids)
  await recordFacts(tx, vault, now, acts, versions.length === 0 ? written : versions)
  const events = ended.map(({ id, from }) => statusEvent(id, from, 'deactivated'))
  await recordEvents(tx, vault, now, events)
}
