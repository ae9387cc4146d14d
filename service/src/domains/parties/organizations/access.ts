import type { OwnerCaller, PlatformCaller } from '../../../http/caller.ts'
import { raise, refuse } from '../../../kernel/app-error.ts'
import { parseId } from '../../../kernel/ids.ts'
import type { OrganizationsContext } from './context.ts'
import { type Organization, type OrganizationScope, selectOrganization } from './store.ts'

/** Who may see an organization: its owner, and the platform that owner is on. */
export type OrganizationCaller = OwnerCaller | PlatformCaller

export function scopeOf(caller: OrganizationCaller): OrganizationScope {
  return caller.kind === 'platform'
    ? { kind: 'platform', platformId: caller.platformId }
    : { kind: 'owners', ownerIds: caller.ownerIds }
}

/** The organization of an address. A stranger's is not told from one that does not exist. */
export async function requireOrganization(
  { database, vault }: Pick<OrganizationsContext, 'database' | 'vault'>,
  caller: OrganizationCaller,
  address: string,
): Promise<Organization> {
  const id = parseId('org', address)
  const organization = id === null ? null : await selectOrganization(database, vault, id)
  if (organization === null || !mayAccess(caller, organization)) {
    raise(NO_ORGANIZATION)
  }
  return organization
}

/** What a stranger is answered, and who asks for none. */
export const NO_ORGANIZATION = refuse('not_found', 'There is no organization with this id')

function mayAccess(caller: OrganizationCaller, { ownerId, platformId }: Organization): boolean {
  return caller.kind === 'platform' ? caller.platformId === platformId : caller.ownerIds.includes(ownerId)
}
