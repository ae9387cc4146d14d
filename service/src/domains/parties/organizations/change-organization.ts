import type { Queryable } from '../../../db/database.ts'
import { raise } from '../../../kernel/app-error.ts'
import { assert } from '../../../kernel/assert.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { type Cooldown, lockAgentsForChange } from '../../limits/index.ts'
import type { OrganizationsContext } from './context.ts'
import { decideThawed } from './decide.ts'
import { type Member, selectMembers } from './member-store.ts'
import { lockOrganization, type Organization } from './store.ts'

/** An organization with its members, true until the commit. */
export interface Locked {
  readonly organization: Organization
  readonly members: readonly Member[]
}

/**
 * Changes who is in an organization, or as what. Under the locks of the owner, the organization and then the accounts
 * concerned, so that no payment of theirs is decided in between and the next one on any node is decided by the change.
 * `accountsOf` may refuse: nobody waits for the account of an agent that is none of the organization's. Below a frozen
 * owner everything is refused, unless `change` decides that itself.
 */
export async function changeOrganization<Result>(
  { database, ledger, vault }: OrganizationsContext,
  address: Organization,
  accountsOf: (found: Locked) => readonly Uuid[],
  change: (tx: Queryable, locked: Locked) => Promise<Result>,
  whileFrozen: 'refused' | 'decided' = 'refused',
): Promise<Result> {
  let accounts: readonly Uuid[] = []
  const result = await database.inTransaction(
    async tx => {
      const organization = await lockOrganization(tx, vault, address)
      assert(organization !== null, 'organizations are never removed')
      const refused = whileFrozen === 'refused' ? decideThawed(organization) : null
      if (refused !== null) raise(refused)
      accounts = accountsOf(await readLocked(tx, organization))
      await lockAgentsForChange(tx, vault, accounts)
      // Read again: an agent that ended meanwhile, whose account's lock was waited for, is a member no more.
      return change(tx, await readLocked(tx, organization))
    },
    { turns: [address.id] },
  )
  await ledger.awaitCommits(accounts)
  return result
}

/** How raised budgets of an organization wait. */
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
