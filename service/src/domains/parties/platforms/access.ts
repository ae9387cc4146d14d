import type { Queryable } from '../../../db/database.ts'
import type { Caller } from '../../../http/caller.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { parseId } from '../../../kernel/ids.ts'
import { type Platform, selectPlatform } from './store.ts'

export function platformNotFound(): AppError {
  return new AppError('not_found', 'There is no platform with this id')
}

/** The platform with this id: the caller itself, or any for an administrator. Another platform is not found. */
export async function requirePlatformAccess(
  db: Queryable,
  caller: Caller,
  platformRef: string,
): Promise<Platform> {
  const id = parseId('plt', platformRef)
  const may = caller.kind === 'admin' || (caller.kind === 'platform' && caller.platformId === id)
  const platform = id !== null && may ? await selectPlatform(db, id) : null
  if (platform === null) throw platformNotFound()
  return platform
}

/** The same for a change, which a deleted platform refuses. */
export async function requireLivingPlatform(
  db: Queryable,
  caller: Caller,
  platformRef: string,
): Promise<Platform> {
  const platform = await requirePlatformAccess(db, caller, platformRef)
  if (platform.status === 'active') return platform
  throw new AppError('conflict', 'This platform was deleted, which is final; create a new one')
}
