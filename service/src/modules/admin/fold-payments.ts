import type { Database, Queryable } from '../../db/database.ts'
import { firstUuidAt, type Uuid } from '../../kernel/ids.ts'
import {
  addToDays,
  type Cursor,
  idBehind,
  lockCursor,
  moveCursor,
  startClosing,
} from './payment-days-store.ts'

/** How far one node's clock may be behind another's. */
const CLOCKS_APART_MS = 60_000
const TRANSFERS_AT_ONCE = 20_000

/**
 * Adds payments to their days, one bounded batch, and tells whether there was one (1) or nothing was due (0).
 *
 * A payment must never commit below the cursor, or no day would count it. So a range is closed before it is folded: its
 * end is chosen, a minute back, by a transaction with an id of its own. A payment's transaction gets its id when it
 * locks its accounts, and reads the clock for what it posts only then. So those with higher ids post above the range, by
 * any clock that is less than a minute behind; those with lower ids are waited for, however long they take. No timeout
 * has to be trusted, and a sandbox clock may jump while payments are under way.
 */
export async function foldPayments(
  database: Database,
  now: Date,
  transfersAtOnce = TRANSFERS_AT_ONCE,
): Promise<number> {
  return database.inTransaction(async tx => {
    const cursor = await lockCursor(tx)
    if (cursor === null || !cursor.closed) return 0
    if (cursor.foldedBefore < cursor.closingBefore) return fold(tx, cursor, transfersAtOnce)
    const closingBefore = firstUuidAt(new Date(now.getTime() - CLOCKS_APART_MS))
    const isEmpty = (await idBehind(tx, cursor.foldedBefore, closingBefore, 0)) === null
    if (!isEmpty) await startClosing(tx, closingBefore)
    return 0
  })
}

async function fold(tx: Queryable, cursor: Cursor, transfersAtOnce: number): Promise<number> {
  const { foldedBefore, closingBefore } = cursor
  const end: Uuid = (await idBehind(tx, foldedBefore, closingBefore, transfersAtOnce)) ?? closingBefore
  await addToDays(tx, foldedBefore, end)
  await moveCursor(tx, end)
  // The next call goes on, or chooses the next range: either way there is something to do.
  return 1
}
