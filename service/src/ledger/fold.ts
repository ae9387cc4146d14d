import type { Database, Queryable } from '../db/database.ts'
import { assert } from '../kernel/assert.ts'
import { firstUuidAt, type Uuid } from '../kernel/ids.ts'

/** Sums over the transfers that are kept up behind a cursor, so that nobody reads the whole history for them. */
export interface Fold {
  /** The name of its cursor. */
  readonly name: 'payment days' | 'book sums'
  /** Adds what lies from one id on, before another. */
  add(tx: Queryable, from: Uuid, before: Uuid): Promise<void>
}

/** How far one node's clock may be behind another's. */
const CLOCKS_APART_MS = 60_000
const TRANSFERS_AT_ONCE = 20_000

/**
 * Folds one bounded batch, and tells whether there was one (1) or nothing was due (0).
 *
 * What counts against limits must never commit below the cursor, or it would be missing for ever. So a range is closed
 * before it is folded: its end is chosen, a minute back, by a transaction with an id of its own. A payment's transaction
 * gets its id when it locks its accounts, and reads the clock for what it posts only then. So those with higher ids post
 * above the range, by any clock that is less than a minute behind; those with lower ids are waited for, however long
 * they take. No timeout has to be trusted, and a sandbox clock may jump while payments are under way (`pauseFolding`).
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
      // The next call goes on, or chooses the next range: either way there is something to do.
      return 1
    }
    const nextBefore = firstUuidAt(new Date(now.getTime() - CLOCKS_APART_MS))
    const isEmpty = (await idBehind(tx, foldedBefore, nextBefore, 0)) === null
    if (!isEmpty) await startClosing(tx, fold.name, nextBefore)
    return 0
  })
}

interface Cursor {
  /** Everything with a lower id is folded, and nothing else. */
  readonly foldedBefore: Uuid
  /** How far the next folding goes. */
  readonly closingBefore: Uuid
  /** Whether every transaction has ended that ran when `closingBefore` was chosen. */
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

/** Chooses how far to fold next. This transaction's own id tells those before it from those after it. */
async function startClosing(tx: Queryable, name: string, before: Uuid): Promise<void> {
  await tx.query(
    `update fold_cursors set closing_before = $2, closing_xid = pg_current_xact_id()
     where name = $1 and (paused_until is null or paused_until <= clock_timestamp())`,
    [name, before],
  )
}

/** Longer than any node goes on by its old clock when the sandbox's was moved. By the database's own clock. */
const PAUSE_MS = 10_000

/** Before the sandbox's clock is moved: what nodes post that have not heard of it yet would lie below the range. */
export async function pauseFolding(db: Queryable): Promise<void> {
  await db.query(`update fold_cursors set paused_until = clock_timestamp() + $1 * interval '1 millisecond'`, [
    PAUSE_MS,
  ])
}

/** Where the folded ends and what is not folded begins. */
export async function readFoldedBefore(db: Queryable, name: Fold['name']): Promise<Uuid> {
  const [row] = await db.query<{ before: Uuid }>(
    `select folded_before as before from fold_cursors where name = $1`,
    [name],
  )
  assert(row !== undefined, 'the cursors are rows of the schema')
  return row.before
}

/** The id behind so many transfers from `from` on; null when there are fewer before `before`. */
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
