import type { Queryable } from '../../db/database.ts'

/** A signing key as it is stored: its private half sealed. Rows are only ever inserted. */
export interface StoredKey {
  readonly id: string
  readonly publicKey: string
  readonly privateKey: Buffer
  readonly activeFrom: Date
}

/** All keys in the order of their beginnings. */
export async function selectKeys(db: Queryable): Promise<StoredKey[]> {
  return db.query<StoredKey>(
    `select id, public_key as "publicKey", private_key as "privateKey", active_from as "activeFrom"
     from signing_keys order by active_from, id`,
    [],
  )
}

export async function insertKey(db: Queryable, key: StoredKey): Promise<void> {
  await db.query(
    `insert into signing_keys (id, public_key, private_key, active_from) values ($1, $2, $3, $4)`,
    [key.id, key.publicKey, key.privateKey, key.activeFrom],
  )
}

/** Makes this transaction the only one that may add keys; reading goes on. */
export async function lockKeys(tx: Queryable): Promise<void> {
  await tx.query(`lock table signing_keys in share row exclusive mode`)
}
