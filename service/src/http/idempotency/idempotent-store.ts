import type { Queryable } from '../../db/database.ts'

/** One use of an Idempotency-Key: its caller, its request and its start. */
export interface Use {
  readonly credential: string
  readonly key: string
  /** The keyed digest of the request's method, address and body. */
  readonly fingerprint: Buffer
  /** With credential and key it identifies this attempt, so that an attempt that lost its lease changes nothing. */
  readonly createdAt: Date
}

export interface StoredUse {
  readonly fingerprint: Buffer
  /** Null while the first request runs. */
  readonly status: number | null
  /** Encrypted. */
  readonly response: Buffer | null
  readonly createdAt: Date
}

/**
 * Claims the key when it is free, expired, or its lease ended without a response. One statement, so that of two nodes
 * exactly one wins.
 */
export async function claimUse(
  db: Queryable,
  use: Use,
  lockedUntil: Date,
  forgetBefore: Date,
): Promise<boolean> {
  const rows = await db.query(
    `insert into idempotent_requests (credential, key, fingerprint, status, response, locked_until, created_at)
     values ($1, $2, $3, null, null, $4, $5)
     on conflict (credential, key) do update
       set fingerprint = excluded.fingerprint, status = null, response = null,
           locked_until = excluded.locked_until, created_at = excluded.created_at
       where idempotent_requests.created_at <= $6
          or (idempotent_requests.status is null
              and idempotent_requests.locked_until <= excluded.created_at
              and idempotent_requests.fingerprint = excluded.fingerprint)
     returning key`,
    [use.credential, use.key, use.fingerprint, lockedUntil, use.createdAt, forgetBefore],
  )
  return rows.length === 1
}

export async function findUse(
  db: Queryable,
  credential: string,
  key: string,
): Promise<StoredUse | undefined> {
  const [row] = await db.query<StoredUse>(
    `select fingerprint, status, response, created_at as "createdAt"
     from idempotent_requests where credential = $1 and key = $2`,
    [credential, key],
  )
  return row
}

export async function extendUse(db: Queryable, use: Use, lockedUntil: Date): Promise<void> {
  await db.query(
    `update idempotent_requests set locked_until = $4
     where credential = $1 and key = $2 and created_at = $3 and status is null`,
    [use.credential, use.key, use.createdAt, lockedUntil],
  )
}

export async function finishUse(db: Queryable, use: Use, status: number, response: Buffer): Promise<void> {
  await db.query(
    `update idempotent_requests set status = $4, response = $5
     where credential = $1 and key = $2 and created_at = $3 and status is null`,
    [use.credential, use.key, use.createdAt, status, response],
  )
}

export async function dropUse(db: Queryable, use: Use): Promise<void> {
  await db.query(
    `delete from idempotent_requests
     where credential = $1 and key = $2 and created_at = $3 and status is null`,
    [use.credential, use.key, use.createdAt],
  )
}

/** Deletes up to `limit` expired uses; returns how many. */
export async function deleteOldUses(db: Queryable, forgetBefore: Date, limit: number): Promise<number> {
  const rows = await db.query(
    `delete from idempotent_requests
     where (credential, key) in (
       select credential, key from idempotent_requests where created_at <= $1 order by created_at limit $2)
     returning key`,
    [forgetBefore, limit],
  )
  return rows.length
}
