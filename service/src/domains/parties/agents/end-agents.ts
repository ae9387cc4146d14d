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
import { agentAct } from './acts.ts'
import { statusEvent } from './events.ts'

/** An agent that was just written as deactivated, and how it stood before. */
export interface EndedAgent {
  readonly id: Uuid
  readonly from: AgentStatus
}

/**
 * Ends what ends with agents, their certificates and memberships, in the commit that ends them. It comes after the
 * agents are written: whoever issues a certificate holds the agent's row, so none is issued behind this one's back.
 */
export async function endWith(
  tx: Queryable,
  agents: readonly EndedAgent[],
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
