import type { Queryable } from '../../../db/database.ts'
import { raise } from '../../../kernel/app-error.ts'
import { assert } from '../../../kernel/assert.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { type Cooldown, lockAgentsForChange } from '../../limits/index.ts'
import type { OrganizationsContext } from './context.ts'
import { decideNotFrozen } from './decide.ts'
import { type Member, selectMembers } from './member-store.ts'
import { lockOrganization, type Organization } from './store.ts'

/** An organization with its members, which cannot change until the commit. */
export interface Locked {
  readonly organization: Organization
  readonly members: readonly Member[]
}

/**
 * Changes the members of an organization or their roles. It locks the owner, the organization and then the accounts of
 * the agents concerned, so that their next payment on any node sees the change. `accountsOf` may refuse, so that the
 * account of an agent outside the organization is never locked. While the owner is frozen, every change is refused,
 * unless `change` decides that itself.
 */
export async function changeOrganization<Result>(
  { database, ledger, vault }: OrganizationsContext,
  found: Organization,
  accountsOf: (found: Locked) => readonly Uuid[],
  change: (tx: Queryable, locked: Locked) => Promise<Result>,
  whileFrozen: 'refused' | 'decided' = 'refused',
): Promise<Result> {
  let accounts: readonly Uuid[] = []
  const result = await database.inTransaction(
    async tx => {
      const organization = await lockOrganization(tx, vault, found)
      assert(organization !== null, 'organizations are never deleted')
      const refused = whileFrozen === 'refused' ? decideNotFrozen(organization) : null
      if (refused !== null) raise(refused)
      accounts = accountsOf(await readLocked(tx, organization))
      await lockAgentsForChange(tx, vault, accounts)
      // Read again, because an agent that was deactivated before its account was locked is no longer a member.
      return change(tx, await readLocked(tx, organization))
    },
    { turns: [found.id] },
  )
  await ledger.awaitCommits(accounts)
  return result
}

/** The cooldown of raised budgets. */
export function cooldownOf(
  { clock, limitIncreaseCooldownS }: OrganizationsContext,
  { isFrozen }: Organization,
): Cooldown {
  return { now: clock.now(), cooldownMs: limitIncreaseCooldownS * 1000, isFrozen }
}

async function readLocked(tx: Queryable, organization: Organization): Promise<Locked> {
  const members = await selectMembers(tx, organization.id)
  const treasuryId = members.find(({ role }) => role === 'treasury')?.agentId ?? null
  return { organization: { ...organization, treasuryId }, members }
}
