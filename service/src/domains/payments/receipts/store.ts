import type { Queryable } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { StoredIdentity } from '../../parties/index.ts'

/** One side of a payment: its handle, its owner and platform, and the MAC that was written when it was created. */
export type Party = StoredIdentity

export async function selectParties(db: Queryable, ids: readonly Uuid[]): Promise<Party[]> {
  return db.query<Party>(
    `select id, handle, platform_id as "platformId", owner_id as "ownerId", public_key as "publicKey",
       created_at as "createdAt", seal
     from agents where id = any($1::uuid[])`,
    [ids],
  )
}
