import type { NonceStore } from './nonce-store.ts'

/** A database by its query function: a pool or client of `pg` can be used directly. */
export interface SqlDatabase {
  query(text: string, values: unknown[]): Promise<{ readonly rows: readonly unknown[] }>
}

export interface SqlStoreOptions {
  /** The table's name, with its schema if needed; `used_nonces` or `voucher_tabs` by default. */
  readonly table?: string
  /** The placeholders of the database's driver: `$1`, `$2` by default, or `?`. */
  readonly placeholder?: '$' | '?'
}

const TABLE_NAME = /^[a-z_]\w*(?:\.[a-z_]\w*)?$/i
const SWEEP_EVERY_MS = 60_000

/**
 * Used nonces in PostgreSQL or SQLite (3.35 or later), for any number of processes. The table:
 *
 *     create table used_nonces (
 *       nonce text primary key,
 *       claim_id text not null,
 *       expires_at bigint not null -- Unix milliseconds
 *     );
 *     create index on used_nonces (expires_at);
 *
 * Expired rows are deleted once a minute while nonces are used. Throws a TypeError if `table` is not a name.
 */
export function sqlNonceStore(
  database: SqlDatabase,
  { table = 'used_nonces', placeholder = '$' }: SqlStoreOptions = {},
  now: () => number = Date.now,
): NonceStore {
  checkTableName(table)
  const [first, second, third] = placeholdersOf(placeholder, 3)
  // One statement, so that one of many concurrent claims inserts the row. The update returns the row to the same claim.
  const claim = `insert into ${table} as used (nonce, claim_id, expires_at) values (${first}, ${second}, ${third})
    on conflict (nonce) do update set claim_id = excluded.claim_id where used.claim_id = excluded.claim_id
    returning nonce`
  const release = `delete from ${table} where nonce = ${first} and claim_id = ${second}`
  const sweep = `delete from ${table} where expires_at < ${first}`
  let sweptAt = now()

  /** Runs after the claim, which does not wait for it; if it fails, the next one deletes these rows too. */
  function sweepSometimes(): void {
    if (now() - sweptAt < SWEEP_EVERY_MS) return
    sweptAt = now()
    void database.query(sweep, [sweptAt]).catch(() => {})
  }
  return {
    async claim(nonce, expiresAt, claimId) {
      const { rows } = await database.query(claim, [nonce, claimId, expiresAt.getTime()])
      sweepSometimes()
      return rows.length > 0
    },
    async release(nonce, claimId) {
      await database.query(release, [nonce, claimId])
    },
  }
}

/** Throws a TypeError if it is not a name. */
export function checkTableName(table: string): void {
  if (!TABLE_NAME.test(table)) throw new TypeError(`${JSON.stringify(table)} is not the name of a table`)
}

/** The placeholders of so many values. */
export function placeholdersOf(
  placeholder: NonNullable<SqlStoreOptions['placeholder']>,
  count: number,
): string[] {
  return Array.from({ length: count }, (_, index) => (placeholder === '?' ? '?' : `$${index + 1}`))
}
