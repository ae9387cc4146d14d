import type { Queryable } from '../../db/database.ts'
import type { OwnerCaller, PlatformCaller } from '../../http/caller.ts'
import { AppError } from '../../kernel/app-error.ts'
import { formatId, parseId, type Uuid } from '../../kernel/ids.ts'
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
  db: Queryable,
  caller: OrganizationCaller,
  address: string,
): Promise<Organization> {
  const id = parseId('org', address)
  const organization = id === null ? null : await selectOrganization(db, id)
  if (organization === null || !mayAccess(caller, organization)) {
    throw new AppError('not_found', 'There is no organization with this id')
  }
  return organization
}

function mayAccess(caller: OrganizationCaller, { ownerId, platformId }: Organization): boolean {
  return caller.kind === 'platform' ? caller.platformId === platformId : caller.ownerIds.includes(ownerId)
}

/** Which owner of the session a new organization is for: the only one, or the one that is named. */
export function founderOf({ ownerIds }: OwnerCaller, named: string | undefined): Uuid {
  if (named !== undefined) {
    const id = parseId('own', named)
    if (id !== null && ownerIds.includes(id)) return id
    throw new AppError('not_found', 'This session has no owner with this id', { field: 'owner_id' })
  }
  const [only, ...others] = ownerIds
  if (only === undefined) throw new AppError('not_found', 'This session has no owner any more')
  if (others.length === 0) return only
  throw new AppError('validation_error', 'This session covers several owners: say which one with owner_id', {
    field: 'owner_id',
    details: { owner_ids: ownerIds.map(id => formatId('own', id)) },
  })
}
