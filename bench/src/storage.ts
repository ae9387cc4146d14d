import type { Queryable } from '../../service/src/db/database.ts'

/** Bytes on disk of whole tables with their indexes, and bytes ever written to the write-ahead log. */
export interface Storage {
  readonly accounts: number
  readonly transfers: number
  readonly transferIndexes: number
  readonly log: number
}

interface Row {
  readonly accounts: bigint
  readonly transfers: bigint
  readonly transfer_indexes: bigint
  readonly log: bigint
}

export async function readStorage(db: Queryable): Promise<Storage> {
  const [row] = await db.query<Row>(
    `select pg_total_relation_size('accounts') as accounts, pg_total_relation_size('transfers') as transfers,
       pg_indexes_size('transfers') as transfer_indexes,
       pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::int8 as log`,
    [],
  )
  if (row === undefined) throw new Error('the server returned no sizes')
  return {
    accounts: Number(row.accounts),
    transfers: Number(row.transfers),
    transferIndexes: Number(row.transfer_indexes),
    log: Number(row.log),
  }
}

export function growth(before: Storage, after: Storage): Storage {
  return {
    accounts: after.accounts - before.accounts,
    transfers: after.transfers - before.transfers,
    transferIndexes: after.transferIndexes - before.transferIndexes,
    log: after.log - before.log,
  }
}
