import type { Database, Queryable } from '../db/database.ts'
import { assert } from '../kernel/assert.ts'
import { firstUuidAt, type Uuid } from '../kernel/ids.ts'
import { MOST_DELAY_MS } from './optimistic.ts'

/** Sums over all transfers before a cursor, kept up to date, so that no query reads the whole history. */
export interface Fold {
  /** The name of its cursor. */
  readonly name: 'payment days' | 'book sums'
  /** Adds the transfers whose ids are at least `from` and below `before`. */
  add(tx: Queryable, from: Uuid, before: Uuid): Promise<void>
}

/** The largest difference between the clocks of two nodes: one is a minute ahead, the other a minute behind. */
const CLOCKS_APART_MS = 120_000

/** Transfers of the last moments are not folded yet. */
export const FOLDED_BACK_MS = CLOCKS_APART_MS + MOST_DELAY_MS

const TRANSFERS_AT_ONCE = 20_000

/**
 * Folds one bounded range of transfers. Returns 1 when it folded any, 0 when nothing was due.
 *
 * A transfer that counts against limits must never commit below the cursor, because the sums would never include it. So
 * a range is closed before it is folded: a transaction with an id of its own chooses its end, more than two minutes back. A
 * payment's transaction gets its id when it locks its accounts, and reads the clock only then or, if it was decided
 * optimistically, at most `MOST_DELAY_MS` before. So transactions with higher ids post above the range, by any clock that
 * is less than two minutes behind. Those with lower ids are waited for, without a timeout. The sandbox clock may be moved
 * while payments are in progress (`pauseFolding`).
 */
export async function foldTransfers(
  database: Database,
  fold: Fold,
  now: Date,
  transfersAtOnce = TRANSFERS_AT_ONCE,
): Promise<number> {
  return database.inTransaction(async tx => {
    const cursor = await lockCursor(tx, fold.name)
    if (cursor === null || !cursor.closed) return 0
    const { foldedBefore, closingBefore } = cursor
    if (foldedBefore < closingBefore) {
      const end = (await idBehind(tx, foldedBefore, closingBefore, transfersAtOnce)) ?? closingBefore
      await fold.add(tx, foldedBefore, end)
      await tx.query(`update fold_cursors set folded_before = $2 where name = $1`, [fold.name, end])
      // There is more to do: the next call continues this range or chooses the next one.
      return 1
    }
    const nextBefore = firstUuidAt(new Date(now.getTime() - FOLDED_BACK_MS))
    const isEmpty = (await idBehind(tx, foldedBefore, nextBefore, 0)) === null
    if (!isEmpty) await startClosing(tx, fold.name, nextBefore)
    return 0
  })
}

interface Cursor {
  /** Exactly the transfers with lower ids are folded. */
  readonly foldedBefore: Uuid
  /** The end of the range that is being closed or folded. */
  readonly closingBefore: Uuid
  /** Whether all transactions have ended that were in progress when `closingBefore` was chosen. */
  readonly closed: boolean
}

/** The cursor, locked until the commit; null while another node folds. */
async function lockCursor(tx: Queryable, name: string): Promise<Cursor | null> {
  const [cursor] = await tx.query<Cursor>(
    `select folded_before as "foldedBefore", closing_before as "closingBefore",
       pg_snapshot_xmin(pg_current_snapshot()) > closing_xid as closed
     from fold_cursors where name = $1 for update skip locked`,
    [name],
  )
  return cursor ?? null
}

/** Chooses the next range. This transaction's id separates earlier transactions from later ones. */
async function startClosing(tx: Queryable, name: string, before: Uuid): Promise<void> {
  await tx.query(
    `update fold_cursors set closing_before = $2, closing_xid = pg_current_xact_id()
     where name = $1 and (paused_until is null or paused_until <= clock_timestamp())`,
    [name, before],
  )
}

/** Longer than any node keeps its old time after the sandbox clock was moved. Measured by the database's clock. */
const PAUSE_MS = 10_000 + MOST_DELAY_MS

/** Call it before the sandbox clock moves: nodes that still have the old time would post below the range. */
export async function pauseFolding(db: Queryable): Promise<void> {
  await db.query(`update fold_cursors set paused_until = clock_timestamp() + $1 * interval '1 millisecond'`, [
    PAUSE_MS,
  ])
}

/** The id before which all transfers are folded. */
export async function readFoldedBefore(db: Queryable, name: Fold['name']): Promise<Uuid> {
  const [row] = await db.query<{ before: Uuid }>(
    `select folded_before as before from fold_cursors where name = $1`,
    [name],
  )
  assert(row !== undefined, 'the cursors are rows of the schema')
  return row.before
}

/** The id of the transfer that comes `transfers` places after `from`; null when there are fewer before `before`. */
export async function idBehind(
  tx: Queryable,
  from: Uuid,
  before: Uuid,
  transfers: number,
): Promise<Uuid | null> {
  const [row] = await tx.query<{ id: Uuid }>(
    `select id from transfers where id >= $1 and id < $2 order by id offset $3 limit 1`,
    [from, before, transfers],
  )
  return row?.id ?? null
}
