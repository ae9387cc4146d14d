import type { Queryable } from '../../../db/database.ts'
import type { Caller } from '../../../http/caller.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { unreachable } from '../../../kernel/assert.ts'
import { parseId } from '../../../kernel/ids.ts'
import { type Owner, selectOwner } from './store.ts'

export function ownerNotFound(): AppError {
  return new AppError('not_found', 'There is no owner with this id')
}

/** The owner with this id. An owner of another party and an unknown one give the same error. */
export async function requireOwnerAccess(db: Queryable, caller: Caller, ownerRef: string): Promise<Owner> {
  const id = parseId('own', ownerRef)
  const owner = id === null ? null : await selectOwner(db, id)
  if (owner === null || !mayAccess(caller, owner)) throw ownerNotFound()
  return owner
}

/**
 * Refuses if the proven row under the lock has another platform than the row of the first access check, which was not
 * proven. The platform of an owner never changes.
 */
export function requireSamePlatform(
  asked: Pick<Owner, 'platformId'>,
  { platformId }: Pick<Owner, 'platformId'>,
): void {
  if (platformId !== asked.platformId) throw ownerNotFound()
}

function mayAccess(caller: Caller, owner: Owner): boolean {
  switch (caller.kind) {
    case 'platform':
      return caller.platformId === owner.platformId
    case 'owner':
      return caller.ownerIds.includes(owner.id)
    case 'admin':
      return true
    case 'agent':
    case 'public':
      return false
    default:
      return unreachable(caller)
  }
}
