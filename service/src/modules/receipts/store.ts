import type { Queryable } from '../../db/database.ts'
import type { Uuid } from '../../kernel/ids.ts'

/** One side of a payment: its name, and whose it is. */
export interface Party {
  readonly id: Uuid
  readonly handle: string
  readonly platformId: Uuid
  readonly ownerId: Uuid
}

export async function selectParties(db: Queryable, ids: readonly Uuid[]): Promise<Party[]> {
  return db.query<Party>(
    `select id, handle, platform_id as "platformId", owner_id as "ownerId" from agents where id = any($1::uuid[])`,
    [ids],
  )
}
