import type { Queryable } from '../../../db/database.ts'
import type { Caller } from '../../../http/caller.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { parseId } from '../../../kernel/ids.ts'
import { type Platform, selectPlatform } from './store.ts'

export function platformNotFound(): AppError {
  return new AppError('not_found', 'There is no platform with this id')
}

/** The platform of an address: the caller itself, or any for an administrator. A stranger's is as if there were none. */
export async function requirePlatformAccess(
  db: Queryable,
  caller: Caller,
  address: string,
): Promise<Platform> {
  const id = parseId('plt', address)
  const may = caller.kind === 'admin' || (caller.kind === 'platform' && caller.platformId === id)
  const platform = id !== null && may ? await selectPlatform(db, id) : null
  if (platform === null) throw platformNotFound()
  return platform
}

/** The same for whoever wants to change it: what was deleted is only there to be read. */
export async function requireLivingPlatform(
  db: Queryable,
  caller: Caller,
  address: string,
): Promise<Platform> {
  const platform = await requirePlatformAccess(db, caller, address)
  if (platform.status === 'active') return platform
  throw new AppError('conflict', 'This platform was deleted, which is final; create a new one')
}
