import type { Queryable } from '../../../db/database.ts'

/** A signing key as it is stored. `privateKey` is encrypted; a revoked key has none any more. */
export interface StoredKey {
  readonly id: string
  readonly publicKey: string
  readonly privateKey: Buffer
  readonly activeFrom: Date
  readonly revokedAt: Date | null
}

export interface SelectedKey extends StoredKey {
  /** Whether the audit log records that the key was revoked. */
  readonly isRevokedInLog: boolean
}

/** All keys in the order of their starts. */
export async function selectKeys(db: Queryable): Promise<SelectedKey[]> {
  return db.query<SelectedKey>(
    `select id, public_key as "publicKey", private_key as "privateKey", active_from as "activeFrom",
       revoked_at as "revokedAt",
       exists (select from audit_entries e where e.action = 'signing_key.revoked' and e.target = k.id)
         as "isRevokedInLog"
     from signing_keys k order by active_from, id`,
    [],
  )
}

export async function insertKey(db: Queryable, key: StoredKey): Promise<void> {
  await db.query(
    `insert into signing_keys (id, public_key, private_key, active_from, revoked_at) values ($1, $2, $3, $4, $5)`,
    [key.id, key.publicKey, key.privateKey, key.activeFrom, key.revokedAt],
  )
}

export async function updateKey(db: Queryable, key: Pick<StoredKey, 'id' | 'privateKey' | 'revokedAt'>) {
  await db.query(`update signing_keys set private_key = $2, revoked_at = $3 where id = $1`, [
    key.id,
    key.privateKey,
    key.revokedAt,
  ])
}

/** Lets only this transaction change keys; reads continue. */
export async function lockKeys(tx: Queryable): Promise<void> {
  await tx.query(`lock table signing_keys in share row exclusive mode`)
}
