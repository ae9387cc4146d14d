import { arrayLiteral } from '../../db/array-literal.ts'
import type { Queryable } from '../../db/database.ts'
import { HOUR_MS, istDay, startOfIstDay } from '../../kernel/clock.ts'
import { firstUuidAt, type Uuid } from '../../kernel/ids.ts'
import { type Paise, ZERO_PAISE } from '../../kernel/money.ts'
import {
  type Account,
  type Book,
  LIMITED_KINDS,
  type Need,
  need,
  type Sink,
  type Source,
} from '../../ledger/index.ts'

/**
 * What a payer gave each counterparty today and whom it paid within the hour. Kept only for payers with a
 * control that needs it. When that begins, one reading of the last day's payments makes the start exact;
 * from then on a payment costs one row more, and a decision two look-ups.
 */
export interface CounterpartyWindow {
  readonly payer: Uuid
  readonly payee: Uuid
  readonly istDay: number
  readonly daySpentPaise: Paise
  readonly lastPaidMs: number
}

/** How many different agents the payer paid within the hour. */
interface RecentPayees {
  count: number
}

interface WindowRow {
  payer: Uuid
  payee: Uuid
  ist_day: number
  ist_day_spent_paise: bigint
  last_paid_at: Date
}

const windowKey = (payer: Uuid, payee: Uuid) => `${payer} ${payee}`

const windows: Source<CounterpartyWindow> = {
  name: 'counterparty windows',
  async load(tx: Queryable, keys: readonly string[]) {
    const pairs = keys.map(key => key.split(' '))
    const rows = await tx.query<WindowRow>(
      `select w.payer, w.payee, w.ist_day, w.ist_day_spent_paise, w.last_paid_at
       from unnest($1::uuid[], $2::uuid[]) k(payer, payee)
       join counterparty_windows w on w.payer = k.payer and w.payee = k.payee`,
      [arrayLiteral(pairs.map(pair => pair[0] ?? null)), arrayLiteral(pairs.map(pair => pair[1] ?? null))],
    )
    return new Map(rows.map(row => [windowKey(row.payer, row.payee), windowFromRow(row)]))
  },
}

function windowFromRow(row: WindowRow): CounterpartyWindow {
  return {
    payer: row.payer,
    payee: row.payee,
    istDay: row.ist_day,
    daySpentPaise: row.ist_day_spent_paise as Paise,
    lastPaidMs: row.last_paid_at.getTime(),
  }
}

const recentPayees: Source<RecentPayees> = {
  name: 'recent payees',
  async load(tx: Queryable, keys: readonly string[]) {
    const payers = keys.map(key => key.split(' '))
    const rows = await tx.query<{ position: number; count: number }>(
      `select k.position::int4 as position,
         (select count(*)::int4 from counterparty_windows w where w.payer = k.payer and w.last_paid_at > k.since) as count
       from unnest($1::uuid[], $2::timestamptz[]) with ordinality k(payer, since, position)`,
      [
        arrayLiteral(payers.map(payer => payer[0] ?? null)),
        arrayLiteral(payers.map(payer => new Date(Number(payer[1]) - HOUR_MS).toISOString())),
      ],
    )
    return new Map(rows.map(row => [keys[row.position - 1] ?? '', { count: row.count }]))
  },
}

/** The windows of a payer whose payments were not counted by counterparty until now. */
const history: Source<readonly CounterpartyWindow[]> = {
  name: 'counterparty history',
  async load(tx: Queryable, keys: readonly string[]) {
    const found = new Map<string, CounterpartyWindow[]>()
    for (const key of keys) found.set(key, await windowsFromHistory(tx, key))
    return found
  },
}

async function windowsFromHistory(tx: Queryable, key: string): Promise<CounterpartyWindow[]> {
  const [payer = '', now] = key.split(' ')
  const nowMs = Number(now)
  const today = istDay(new Date(nowMs))
  const dayStart = startOfIstDay(today)
  const since = new Date(Math.min(dayStart.getTime(), nowMs - HOUR_MS))
  const rows = await tx.query<{ payee: Uuid; spent: bigint; last_paid_at: Date }>(
    `select credit_account as payee, max(posted_at) as last_paid_at,
       coalesce(sum(amount_paise) filter (where posted_at >= $3), 0)::int8 as spent
     from transfers where debit_account = $1 and id >= $2 and kind = any($4::text[]) group by credit_account`,
    [payer, firstUuidAt(since), dayStart, LIMITED_KINDS],
  )
  return rows.map(row => ({
    payer,
    payee: row.payee,
    istDay: today,
    daySpentPaise: row.spent as Paise,
    lastPaidMs: row.last_paid_at.getTime(),
  }))
}

/** One row for each counterparty: later rows of a batch replace earlier ones of the same pair. */
const windowSink: Sink<CounterpartyWindow> = {
  name: 'counterparty windows',
  async write(tx: Queryable, rows: readonly CounterpartyWindow[]) {
    const last = [...new Map(rows.map(row => [windowKey(row.payer, row.payee), row])).values()]
    await tx.query(
      `insert into counterparty_windows (payer, payee, ist_day, ist_day_spent_paise, last_paid_at)
       select payer, payee, ist_day, spent, last_paid_at
       from unnest($1::uuid[], $2::uuid[], $3::int4[], $4::int8[], $5::timestamptz[])
         v(payer, payee, ist_day, spent, last_paid_at)
       on conflict (payer, payee) do update set ist_day = excluded.ist_day,
         ist_day_spent_paise = excluded.ist_day_spent_paise, last_paid_at = excluded.last_paid_at`,
      [
        arrayLiteral(last.map(row => row.payer)),
        arrayLiteral(last.map(row => row.payee)),
        arrayLiteral(last.map(row => row.istDay)),
        arrayLiteral(last.map(row => row.daySpentPaise)),
        arrayLiteral(last.map(row => new Date(row.lastPaidMs).toISOString())),
      ],
    )
  },
}

const payerKey = (book: Book, payer: Account) => `${payer.id} ${book.nowMs}`

/** The facts that the counterparty limits of this payer want. */
export function counterpartyNeeds(book: Book, payer: Account, payee: Uuid): Need[] {
  if (payer.counterpartiesSinceMs === null) return [need(history, payerKey(book, payer))]
  return [need(windows, windowKey(payer.id, payee)), need(recentPayees, payerKey(book, payer))]
}

/** What the payer has given this payee today, and how many agents it has paid within the hour. */
export interface CounterpartyUse {
  readonly daySpentPaise: Paise
  readonly recentPayees: number
  readonly paidRecently: boolean
}

export function counterpartyUse(book: Book, payer: Account, payee: Uuid): CounterpartyUse {
  startCounting(book, payer)
  const nowMs = book.nowMs
  const window = book.fact(windows, windowKey(payer.id, payee))
  return {
    daySpentPaise: window?.istDay === istDay(new Date(nowMs)) ? window.daySpentPaise : ZERO_PAISE,
    recentPayees: book.fact(recentPayees, payerKey(book, payer))?.count ?? 0,
    paidRecently: window !== undefined && window.lastPaidMs > nowMs - HOUR_MS,
  }
}

/** Turns a payer's read history into windows, once; they are written whatever becomes of this command. */
function startCounting(book: Book, payer: Account): void {
  if (payer.counterpartiesSinceMs !== null) return
  const nowMs = book.nowMs
  const found = book.fact(history, payerKey(book, payer)) ?? []
  for (const window of found) {
    book.setFact(windows, windowKey(window.payer, window.payee), window)
    book.write(windowSink, window)
  }
  const count = found.filter(window => window.lastPaidMs > nowMs - HOUR_MS).length
  book.setFact(recentPayees, payerKey(book, payer), { count })
  payer.counterpartiesSinceMs = nowMs
  payer.changed = true
}

/** Counts a payment that was posted. */
export function countCounterparty(book: Book, payer: Account, payee: Uuid, amountPaise: Paise): void {
  const nowMs = book.nowMs
  const use = counterpartyUse(book, payer, payee)
  const window: CounterpartyWindow = {
    payer: payer.id,
    payee,
    istDay: istDay(new Date(nowMs)),
    daySpentPaise: (use.daySpentPaise + amountPaise) as Paise,
    lastPaidMs: nowMs,
  }
  book.setFact(windows, windowKey(payer.id, payee), window)
  book.write(windowSink, window)
  if (!use.paidRecently) book.setFact(recentPayees, payerKey(book, payer), { count: use.recentPayees + 1 })
}

/** Stops counting for a payer whose controls no longer need it, so that a later start reads afresh. */
export function stopCounting(payer: Account): void {
  if (payer.counterpartiesSinceMs === null) return
  payer.counterpartiesSinceMs = null
  payer.changed = true
}
