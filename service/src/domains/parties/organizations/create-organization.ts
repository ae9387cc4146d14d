import type { BodyOf, createOrganization as createOrganizationRoute } from '@batua/contract'
import { type OwnerCaller, ownerOfSession } from '../../../http/caller.ts'
import { raise } from '../../../kernel/app-error.ts'
import { assert } from '../../../kernel/assert.ts'
import { newUuid } from '../../../kernel/ids.ts'
import { actorOf, recordFacts } from '../../../operations/facts.ts'
import type { OrganizationsContext } from './context.ts'
import { decideNotFrozen } from './decide.ts'
import { createdFact } from './facts.ts'
import { insertOrganization, lockFounder, type Organization } from './store.ts'

export async function createOrganization(
  { database, clock, vault }: OrganizationsContext,
  caller: OwnerCaller,
  { name, tier, owner_id }: BodyOf<typeof createOrganizationRoute>,
): Promise<Organization> {
  const ownerId = ownerOfSession(caller, owner_id)
  const now = clock.now()
  return database.inTransaction(async tx => {
    const founder = await lockFounder(tx, vault, ownerId)
    assert(founder !== null, 'owners are never deleted')
    const refused = decideNotFrozen(founder)
    if (refused !== null) raise(refused)
    const organization: Organization = {
      id: newUuid(now),
      ownerId,
      platformId: founder.platformId,
      name: name.normalize('NFC'),
      tier,
      createdAt: now,
      isFrozen: false,
      treasuryId: null,
    }
    await insertOrganization(tx, vault, organization)
    await recordFacts(tx, vault, now, [createdFact(actorOf(caller, ownerId), organization)])
    return organization
  })
}
