import type { OwnerCaller, PlatformCaller } from '../../../http/caller.ts'
import { raise, refuse } from '../../../kernel/app-error.ts'
import { parseId } from '../../../kernel/ids.ts'
import type { OrganizationsContext } from './context.ts'
import { type Organization, type OrganizationScope, selectOrganization } from './store.ts'

/** The callers that may see an organization: its owner, and the owner's platform. */
export type OrganizationCaller = OwnerCaller | PlatformCaller

export function scopeOf(caller: OrganizationCaller): OrganizationScope {
  return caller.kind === 'platform'
    ? { kind: 'platform', platformId: caller.platformId }
    : { kind: 'owners', ownerIds: caller.ownerIds }
}

/** The organization with this id. One of another party and an unknown one give the same error. */
export async function requireOrganization(
  { database, vault }: Pick<OrganizationsContext, 'database' | 'vault'>,
  caller: OrganizationCaller,
  orgRef: string,
): Promise<Organization> {
  const id = parseId('org', orgRef)
  const organization = id === null ? null : await selectOrganization(database, vault, id)
  if (organization === null || !mayAccess(caller, organization)) {
    raise(NO_ORGANIZATION)
  }
  return organization
}

/** The refusal for an unknown organization and for one of another party. */
export const NO_ORGANIZATION = refuse('not_found', 'There is no organization with this id')

function mayAccess(caller: OrganizationCaller, { ownerId, platformId }: Organization): boolean {
  return caller.kind === 'platform' ? caller.platformId === platformId : caller.ownerIds.includes(ownerId)
}
