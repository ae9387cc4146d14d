import { arrayLiteral } from '../db/array-literal.ts'
import type { Queryable } from '../db/database.ts'
import { firstUuidAt, type Uuid } from '../kernel/ids.ts'
import type { Paise } from '../kernel/money.ts'
import type { Account } from './accounts.ts'
import { keyAt, type LedgerBatch, type Read, read, reader } from './ledger-batch.ts'
import { isBound, type RollingWindow, rollingSpent, setExact, WINDOW_MS } from './spending.ts'
import { countedPaise, countsAgainstLimits } from './transfers.ts'

/**
 * Makes rolling sums exact. Either the payments that left the window since `from` are subtracted, which reads each
 * payment once, or, when `from` is long ago, the window itself is summed. Both are ranges of the payer's time-ordered
 * key, so the cost depends on the window, never on the history.
 */
const SUM_RANGE = `
  select k.position::int4 as position,
    (select coalesce(sum(${countedPaise('t')}), 0)::int8 from transfers t
      where t.debit_account = k.payer and t.id >= k.from_id and t.id < k.to_id and ${countsAgainstLimits('t')}
    ) as spent
  from unnest($1::uuid[], $2::uuid[], $3::uuid[]) with ordinality k(payer, from_id, to_id, position)`

interface Range {
  readonly payer: Uuid
  readonly fromMs: number
  readonly toMs: number
}

const rangeSums = reader<Range, Paise>({
  name: 'spending ranges',
  key: ['payer', 'fromMs', 'toMs'],
  async load(tx: Queryable, ranges) {
    const rows = await tx.query<{ position: number; spent: bigint }>(SUM_RANGE, [
      arrayLiteral(ranges.map(range => range.payer)),
      arrayLiteral(ranges.map(range => firstUuidAt(new Date(range.fromMs)))),
      arrayLiteral(ranges.map(range => firstUuidAt(new Date(range.toMs)))),
    ])
    return rows.map(row => [keyAt(ranges, row.position), row.spent as Paise])
  },
})

/** The range that makes this window exact now: the payments that left it, or all that are in it. */
function rangeFor(
  batch: LedgerBatch,
  account: Account,
  window: RollingWindow,
): { range: Range; subtract: boolean } {
  const nowMs = batch.nowMs
  const startMs = nowMs - WINDOW_MS[window]
  const fromMs = window === 'hour' ? account.spending.hourFromMs : account.spending.dayFromMs
  // Sums include payments strictly after `from`; a payment leaves the window exactly one length later.
  if (startMs - fromMs <= WINDOW_MS[window]) {
    return { range: { payer: account.id, fromMs: fromMs + 1, toMs: startMs + 1 }, subtract: true }
  }
  return { range: { payer: account.id, fromMs: startMs + 1, toMs: nowMs + 1 }, subtract: false }
}

/** The read that makes a rolling sum exact; null when the sum is exact already. */
export function rollingSumRead(batch: LedgerBatch, account: Account, window: RollingWindow): Read | null {
  if (!isBound(account.spending, window, batch.nowMs)) return null
  return read(rangeSums, rangeFor(batch, account, window).range)
}

/** Applies the result of `rollingSumRead`. The account keeps the exact sum even if the payment is then refused. */
export function refreshRollingSum(batch: LedgerBatch, account: Account, window: RollingWindow): void {
  const nowMs = batch.nowMs
  if (!isBound(account.spending, window, nowMs)) return
  const { range, subtract } = rangeFor(batch, account, window)
  const sum = batch.read(rangeSums, range)
  if (sum === undefined) return
  const spent = rollingSpent(account.spending, window)
  setExact(account.spending, window, (subtract ? spent - sum : sum) as Paise, nowMs)
  account.changed = true
}
