import type { Queryable } from '../../../db/database.ts'
import { type RowVersion, writeMacs } from '../../../db/row-mac.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Fact, Recording } from '../../../operations/facts.ts'
import { AGENT_ROWS } from '../../limits/index.ts'
import { revokeAllOf } from '../../signing/index.ts'
import { memberFact } from '../organizations/facts.ts'
import { endMemberships } from '../organizations/member-store.ts'

/** What the caller records with its own facts, and the versions of the changed agents. */
export interface Ended {
  readonly facts: readonly Fact[]
  readonly versions: readonly RowVersion[]
}

/**
 * Revokes the certificates and ends the memberships of deactivated agents, in the commit that deactivates them. It runs
 * after the agents are written: issuing a certificate locks the agent's row, so none is issued concurrently.
 */
export async function endDependents(
  tx: Queryable,
  ids: readonly Uuid[],
  recording: Recording,
): Promise<Ended> {
  await revokeAllOf(tx, ids, recording)
  const ended = await endMemberships(tx, ids)
  const facts = ended.map(({ agentId, orgId, role }) => {
    const data = { role, reason: 'agent deactivated' }
    return memberFact(recording.actor, 'org.member_removed', { orgId, agentId }, data)
  })
  return { facts, versions: await writeMacs(tx, recording.vault, AGENT_ROWS, ids) }
}
