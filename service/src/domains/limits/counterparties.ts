import { arrayLiteral } from '../../db/array-literal.ts'
import type { Queryable } from '../../db/database.ts'
import { HOUR_MS, istDay, startOfIstDay } from '../../kernel/clock.ts'
import { firstUuidAt, type Uuid } from '../../kernel/ids.ts'
import { type Paise, ZERO_PAISE } from '../../kernel/money.ts'
import {
  type Account,
  countedPaise,
  counterpartyOf,
  countsAgainstLimits,
  type LedgerBatch,
  type Read,
  read,
  reader,
  readerById,
  type Writer,
} from '../../ledger/index.ts'

/**
 * What a payer paid each counterparty today and when it last paid it. It is not needed while the day's sum and the
 * hour's number of payments, which bound both limits, stay below the limits. When they do not, the payments since the
 * last count are added to the stored windows: each payment is read once at most, and payments far from their limits
 * cost nothing.
 */
export interface CounterpartyWindow {
  readonly payer: Uuid
  readonly payee: Uuid
  readonly istDay: number
  readonly daySpentPaise: Paise
  readonly lastPaidMs: number
  /** When a hold without a payee was last released to it; null: never. */
  readonly lastReleasedMs: number | null
}

/** What the limits on payees need to know about one payee. */
export interface CounterpartyUse {
  /** null: the request names no payee. */
  readonly daySpentPaise: Paise | null
  readonly recentPayees: number
  readonly paidRecently: boolean
  /** The recipients that leave the hour first, in that order; not necessarily all. */
  readonly leaving: readonly { readonly lastPaidMs: number; readonly isPayee: boolean }[]
}

interface WindowRow {
  payer: Uuid
  payee: Uuid
  ist_day: number
  ist_day_spent_paise: bigint
  last_paid_at: Date
  last_released_at: Date | null
}

/** The key of a window. */
export type WindowKey = Pick<CounterpartyWindow, 'payer' | 'payee'>

export const windows = reader<WindowKey, CounterpartyWindow>({
  name: 'counterparty windows',
  key: ['payer', 'payee'],
  async load(tx: Queryable, keys) {
    const rows = await tx.query<WindowRow>(
      `select w.payer, w.payee, w.ist_day, w.ist_day_spent_paise, w.last_paid_at, w.last_released_at
       from unnest($1::uuid[], $2::uuid[]) k(payer, payee)
       join counterparty_windows w on w.payer = k.payer and w.payee = k.payee`,
      [arrayLiteral(keys.map(({ payer }) => payer)), arrayLiteral(keys.map(({ payee }) => payee))],
    )
    return rows.map(row => [row, windowFromRow(row)])
  },
})

function windowFromRow(row: WindowRow): CounterpartyWindow {
  return {
    payer: row.payer,
    payee: row.payee,
    istDay: row.ist_day,
    daySpentPaise: row.ist_day_spent_paise as Paise,
    lastPaidMs: row.last_paid_at.getTime(),
    lastReleasedMs: row.last_released_at?.getTime() ?? null,
  }
}

/** An agent that the payer paid within the hour, and when last. */
interface Recipient {
  readonly payee: Uuid
  readonly lastPaidMs: number
}

/** How many different agents a payer paid within the hour, and those that leave the hour first. */
export interface Recents {
  readonly count: number
  readonly oldest: readonly Recipient[]
  /** Whether `oldest` has all of them. */
  readonly isComplete: boolean
}

export const NOBODY: Recents = { count: 0, oldest: [], isComplete: true }

/** How many are read to compute `retry_at`; if more recipients must leave, `retry_at` is later than necessary. */
const OLDEST_READ = 20

/** Loaded from the stored windows; the payments of this batch are added in memory. */
export const recentPayees = readerById<Recents>('recent payees', async (tx: Queryable, payers, nowMs) => {
  const rows = await tx.query<{
    payer: Uuid
    count: number
    payees: Uuid[] | null
    moments: Date[] | null
  }>(
    `select k.payer, o.payees, o.moments,
         (select count(*)::int4 from counterparty_windows w where w.payer = k.payer and w.last_paid_at > $2) as count
       from unnest($1::uuid[]) k(payer)
       cross join lateral (
         select array_agg(r.payee order by r.last_paid_at) as payees,
           array_agg(r.last_paid_at order by r.last_paid_at) as moments
         from (select w.payee, w.last_paid_at from counterparty_windows w
               where w.payer = k.payer and w.last_paid_at > $2 order by w.last_paid_at limit $3) r
       ) o`,
    [arrayLiteral(payers), new Date(nowMs - HOUR_MS), OLDEST_READ],
  )
  return rows.map(row => [row.payer, recentsOf(row.count, row.payees ?? [], row.moments ?? [])])
})

function recentsOf(count: number, payees: readonly Uuid[], moments: readonly Date[]): Recents {
  const oldest = payees.map((payee, index) => ({ payee, lastPaidMs: moments[index]?.getTime() ?? 0 }))
  return { count, oldest, isComplete: oldest.length === count }
}

/** Adds recipients, some of which may be among the known ones already. */
function withRecipients(
  { count, oldest, isComplete }: Recents,
  paid: readonly Recipient[],
  more: number,
): Recents {
  const again = new Set(paid.map(({ payee }) => payee))
  const merged = [...oldest.filter(({ payee }) => !again.has(payee)), ...paid]
  // A recipient after the last known one may also be after an unknown one, so it is left out.
  const knownMs = isComplete ? Number.POSITIVE_INFINITY : (oldest.at(-1)?.lastPaidMs ?? 0)
  return {
    count: count + more,
    oldest: merged
      .filter(({ lastPaidMs }) => lastPaidMs <= knownMs)
      .toSorted((left, right) => left.lastPaidMs - right.lastPaidMs),
    isComplete,
  }
}

/** The payments to one payee that are not in its window yet, and that window. */
interface Uncounted {
  readonly payee: Uuid
  readonly spentTodayPaise: Paise
  readonly lastPaidMs: number
  readonly counted: CounterpartyWindow | null
}

interface UncountedRow {
  payer: Uuid
  payee: Uuid
  spent_today: bigint
  last_paid_at: Date
  ist_day: number | null
  ist_day_spent_paise: bigint | null
  counted_last_paid_at: Date | null
  counted_last_released_at: Date | null
}

/** The last payment of a payer that is counted. */
interface Mark {
  readonly payer: Uuid
  readonly afterMs: number
  readonly afterSequence: bigint
}

/** The payments of today or the last hour that are not counted yet, by payee; null once they are counted. */
const uncounted = reader<Mark, readonly Uncounted[] | null>({
  name: 'uncounted payments',
  key: ['payer', 'afterMs', 'afterSequence'],
  async load(tx: Queryable, marks, nowMs) {
    const rows = await tx.query<UncountedRow>(
      `select k.payer, t.payee, t.spent_today, t.last_paid_at, w.ist_day, w.ist_day_spent_paise,
         w.last_paid_at as counted_last_paid_at, w.last_released_at as counted_last_released_at
       from unnest($1::uuid[], $2::uuid[], $3::int8[]) k(payer, from_id, after_sequence)
       cross join lateral (
         select ${counterpartyOf('p')} as payee, max(p.posted_at) as last_paid_at,
           coalesce(sum(${countedPaise('p')}) filter (where p.posted_at >= $4), 0)::int8 as spent_today
         from transfers p
         where p.debit_account = k.payer and p.id >= k.from_id and p.debit_sequence > k.after_sequence
           and ${countsAgainstLimits('p')} and ${counterpartyOf('p')} is not null
         group by 1
       ) t
       left join counterparty_windows w on w.payer = k.payer and w.payee = t.payee`,
      [
        arrayLiteral(marks.map(({ payer }) => payer)),
        arrayLiteral(marks.map(({ afterMs }) => firstUuidAt(new Date(afterMs)))),
        arrayLiteral(marks.map(({ afterSequence }) => afterSequence)),
        startOfIstDay(istDay(new Date(nowMs))),
      ],
    )
    const found = new Map(marks.map(mark => [mark.payer, { mark, uncounted: new Array<Uncounted>() }]))
    for (const row of rows) found.get(row.payer)?.uncounted.push(uncountedFromRow(row))
    return [...found.values()].map(({ mark, uncounted: theirs }) => [mark, theirs])
  },
})

function uncountedFromRow(row: UncountedRow): Uncounted {
  const { payer, payee, ist_day, ist_day_spent_paise, counted_last_paid_at } = row
  const last_released_at = row.counted_last_released_at
  const isCounted = ist_day !== null && ist_day_spent_paise !== null && counted_last_paid_at !== null
  return {
    payee,
    spentTodayPaise: row.spent_today as Paise,
    lastPaidMs: row.last_paid_at.getTime(),
    counted: isCounted
      ? windowFromRow({
          ...{ payer, payee, ist_day, ist_day_spent_paise, last_released_at },
          last_paid_at: counted_last_paid_at,
        })
      : null,
  }
}

/** One row for each counterparty: later rows of a batch replace earlier ones of the same pair. */
export const windowWriter: Writer<CounterpartyWindow> = {
  name: 'counterparty windows',
  async write(tx: Queryable, rows: readonly CounterpartyWindow[]) {
    const last = [...new Map(rows.map(row => [windows.textOf(row), row])).values()]
    await tx.query(
      `insert into counterparty_windows (payer, payee, ist_day, ist_day_spent_paise, last_paid_at, last_released_at)
       select payer, payee, ist_day, spent, last_paid_at, last_released_at
       from unnest($1::uuid[], $2::uuid[], $3::int4[], $4::int8[], $5::timestamptz[], $6::timestamptz[])
         v(payer, payee, ist_day, spent, last_paid_at, last_released_at)
       on conflict (payer, payee) do update set ist_day = excluded.ist_day,
         ist_day_spent_paise = excluded.ist_day_spent_paise, last_paid_at = excluded.last_paid_at,
         last_released_at = excluded.last_released_at`,
      [
        arrayLiteral(last.map(row => row.payer)),
        arrayLiteral(last.map(row => row.payee)),
        arrayLiteral(last.map(row => row.istDay)),
        arrayLiteral(last.map(row => row.daySpentPaise)),
        arrayLiteral(last.map(row => timeOf(row.lastPaidMs))),
        arrayLiteral(last.map(row => (row.lastReleasedMs === null ? null : timeOf(row.lastReleasedMs)))),
      ],
    )
  },
}

const timeOf = (ms: number) => new Date(ms).toISOString()

/** Payments before today and before the last hour no longer count, so few rows are read even after a long time. */
function uncountedKey(
  { nowMs }: LedgerBatch,
  { id, countedThroughMs, countedThroughSequence }: Account,
): Mark {
  const relevantMs = Math.min(startOfIstDay(istDay(new Date(nowMs))).getTime(), nowMs - HOUR_MS)
  return {
    payer: id,
    afterMs: Math.max(countedThroughMs, relevantMs),
    afterSequence: countedThroughSequence,
  }
}

/** The reads that make a payer's counterparty windows exact. */
export function counterpartyReads(batch: LedgerBatch, payer: Account, payee: Uuid | null): Read[] {
  const reads = [read(uncounted, uncountedKey(batch, payer)), read(recentPayees, payer.id)]
  if (payee !== null) reads.push(read(windows, { payer: payer.id, payee }))
  return reads
}

/**
 * Adds the uncounted payments to the windows, once for each payer in a batch and before the batch posts anything of
 * that payer. The windows are written even if the command is refused.
 */
export function countUncounted(batch: LedgerBatch, payer: Account): void {
  const key = uncountedKey(batch, payer)
  const found = batch.read(uncounted, key) ?? null
  if (found === null) return
  // If nothing was new the key stays the same, and transfers that this batch posts from now on are not counted yet.
  batch.set(uncounted, key, null)
  const { nowMs } = batch
  const today = istDay(new Date(nowMs))
  let added = 0
  const recent: Recipient[] = []
  for (const { payee, spentTodayPaise, lastPaidMs: uncountedMs, counted } of found) {
    // A release is counted at once, so the window may be later than the uncounted payments.
    const lastPaidMs = Math.max(uncountedMs, counted?.lastPaidMs ?? 0)
    const spentBefore = counted?.istDay === today ? counted.daySpentPaise : ZERO_PAISE
    const window: CounterpartyWindow = {
      payer: payer.id,
      payee,
      istDay: today,
      daySpentPaise: (spentBefore + spentTodayPaise) as Paise,
      lastPaidMs,
      lastReleasedMs: counted?.lastReleasedMs ?? null,
    }
    batch.set(windows, window, window)
    batch.write(windowWriter, window)
    if (isRecent(lastPaidMs, nowMs)) recent.push(window)
    if (isRecent(lastPaidMs, nowMs) && !isRecent(counted?.lastPaidMs ?? 0, nowMs)) added++
  }
  const recents = withRecipients(batch.read(recentPayees, payer.id) ?? NOBODY, recent, added)
  batch.set(recentPayees, payer.id, recents)
  payer.countedThroughMs = payer.lastPostedMs
  payer.countedThroughSequence = payer.sequence
  payer.spending.hourRecipientsBound = recents.count
  payer.changed = true
}

export function isRecent(paidMs: number, nowMs: number): boolean {
  return paidMs > nowMs - HOUR_MS
}

/** What the payer has paid this payee today, and how many agents it has paid within the hour. */
export function counterpartyUse(batch: LedgerBatch, payer: Account, payee: Uuid | null): CounterpartyUse {
  const { nowMs } = batch
  const { count, oldest } = batch.read(recentPayees, payer.id) ?? NOBODY
  const leaving = oldest.map(each => ({ lastPaidMs: each.lastPaidMs, isPayee: each.payee === payee }))
  if (payee === null) return { daySpentPaise: null, recentPayees: count, paidRecently: false, leaving }
  const window = batch.read(windows, { payer: payer.id, payee })
  return {
    daySpentPaise: window?.istDay === istDay(new Date(nowMs)) ? window.daySpentPaise : ZERO_PAISE,
    recentPayees: count,
    paidRecently: window !== undefined && isRecent(window.lastPaidMs, nowMs),
    leaving,
  }
}

/** Counts a posted payment in memory for the commands that follow in this batch. The next count stores it. */
export function countCounterparty(batch: LedgerBatch, payer: Account, payee: Uuid, amountPaise: Paise): void {
  const use = counterpartyUse(batch, payer, payee)
  const paid = { payee, lastPaidMs: batch.nowMs }
  batch.set(
    windows,
    { payer: payer.id, payee },
    {
      ...paid,
      payer: payer.id,
      istDay: istDay(new Date(batch.nowMs)),
      daySpentPaise: ((use.daySpentPaise ?? ZERO_PAISE) + amountPaise) as Paise,
      lastReleasedMs: batch.read(windows, { payer: payer.id, payee })?.lastReleasedMs ?? null,
    },
  )
  const recents = batch.read(recentPayees, payer.id) ?? NOBODY
  batch.set(recentPayees, payer.id, withRecipients(recents, [paid], use.paidRecently ? 0 : 1))
}
