import { arrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import { DAY_MS, HOUR_MS, istDay, istMonth, startOfIstDay } from '../../../kernel/clock.ts'
import { firstUuidAt, type Uuid } from '../../../kernel/ids.ts'
import { countedPaise, counterpartyOf, countsAgainstLimits, keyAt } from '../../../ledger/index.ts'
import type { KnownPayee } from './payees.ts'
import type { SpentAt, SpentBefore } from './spent.ts'

/** What the row of a wallet's account says of what it has spent. */
export interface SpentRow {
  readonly id: Uuid
  readonly istDay: number
  readonly istDaySpentPaise: bigint
  readonly istMonthSpentPaise: bigint
  readonly countedThroughMs: bigint
  readonly countedThroughSequence: bigint
}

/**
 * How many payments of a window are counted one by one. Beyond that, neighbours count as one that leaves with the
 * earliest of them, so what is computed from them is never too low.
 */
const MOST_TOLD_APART = 1_000

/** What each payer has spent in the windows that a moment sees. */
export async function selectSpent(
  db: Queryable,
  rows: readonly SpentRow[],
  nowMs: number,
): Promise<ReadonlyMap<Uuid, SpentBefore>> {
  const payers = rows.map(({ id }) => id)
  const [hour, day] = await Promise.all([
    selectWindow(db, payers, nowMs - HOUR_MS),
    selectWindow(db, payers, nowMs - DAY_MS),
  ])
  const today = istDay(new Date(nowMs))
  return new Map(
    rows.map(({ id, istDay: lastDay, istDaySpentPaise, istMonthSpentPaise }) => {
      const isMonth = istMonth(startOfIstDay(lastDay)) >= istMonth(new Date(nowMs))
      return [
        id,
        {
          hour: hour.get(id) ?? [],
          day: day.get(id) ?? [],
          istDayPaise: lastDay >= today ? istDaySpentPaise : 0n,
          istMonthPaise: isMonth ? istMonthSpentPaise : 0n,
        },
      ]
    }),
  )
}

/** What each payer spent after a moment, oldest first. */
async function selectWindow(
  db: Queryable,
  payers: readonly Uuid[],
  afterMs: number,
): Promise<ReadonlyMap<Uuid, readonly SpentAt[]>> {
  const rows = await db.query<{ payer: Uuid; posted_at: Date; paise: bigint }>(
    `select k.payer, s.posted_at, s.paise
     from unnest($1::uuid[]) k(payer)
     cross join lateral (
       select min(p.posted_at) as posted_at, sum(p.amount_paise)::int8 as paise
       from (select t.posted_at, ${countedPaise('t')} as amount_paise, ntile($3) over (order by t.id) as part from transfers t
             where t.debit_account = k.payer and t.id >= $2 and ${countsAgainstLimits('t')}) p
       group by p.part
     ) s
     order by s.posted_at`,
    [arrayLiteral(payers), firstUuidAt(new Date(afterMs + 1)), MOST_TOLD_APART],
  )
  const found = new Map(payers.map(payer => [payer, new Array<SpentAt>()]))
  for (const { payer, posted_at, paise } of rows) {
    found.get(payer)?.push({ atMs: posted_at.getTime(), paise })
  }
  return found
}

/** A payer, and the payees that its lists or allowances name. */
export interface Naming {
  readonly payer: SpentRow
  readonly named: readonly Uuid[]
  /** Whether a limit counts by payee: only then it matters what each was paid. */
  readonly countsPayees: boolean
}

/**
 * The payees that the payers name, and those paid within the hour, with what they were paid. An agent of the network
 * that was paid earlier today is left out: there is always one that was not.
 */
export async function selectKnownPayees(
  db: Queryable,
  namings: readonly Naming[],
  nowMs: number,
): Promise<ReadonlyMap<Uuid, readonly KnownPayee[]>> {
  const counting = namings.filter(({ countsPayees }) => countsPayees)
  const [paid, uncounted] = await Promise.all([
    selectWindows(db, counting, nowMs),
    selectUncounted(db, counting, nowMs),
  ])
  const known = new Map(namings.map(({ payer }) => [payer.id, new Map<Uuid, Paid>()]))
  for (const { payer, named } of namings) {
    for (const payee of named) if (payee !== payer.id) known.get(payer.id)?.set(payee, NEVER)
  }
  for (const { payer, payee, paise, lastPaidMs } of [...paid, ...uncounted]) {
    const of = known.get(payer)
    const before = of?.get(payee) ?? NEVER
    of?.set(payee, {
      paise: before.paise + paise,
      lastPaidMs: Math.max(before.lastPaidMs, lastPaidMs),
    })
  }
  const receivers = await selectCanReceive(
    db,
    [...known.values()].flatMap(of => [...of.keys()]),
  )
  return new Map(
    [...known].map(([payer, of]) => [
      payer,
      [...of].map(([id, { paise, lastPaidMs }]) => ({
        ...{ id, canReceive: receivers.has(id), spentTodayPaise: paise },
        lastPaidMs: lastPaidMs > nowMs - HOUR_MS ? lastPaidMs : null,
      })),
    ]),
  )
}

interface Paid {
  readonly paise: bigint
  readonly lastPaidMs: number
}

const NEVER: Paid = { paise: 0n, lastPaidMs: 0 }

interface PaidTo extends Paid {
  readonly payer: Uuid
  readonly payee: Uuid
}

/** The counted payments: of the named payees, and of those paid within the hour. */
async function selectWindows(db: Queryable, namings: readonly Naming[], nowMs: number): Promise<PaidTo[]> {
  const pairs = namings.flatMap(({ payer, named }) => named.map(payee => ({ payer: payer.id, payee })))
  const rows = await db.query<{
    payer: Uuid
    payee: Uuid
    ist_day: number
    paise: bigint
    last_paid_at: Date
  }>(
    `select w.payer, w.payee, w.ist_day, w.ist_day_spent_paise as paise, w.last_paid_at
     from unnest($1::uuid[], $2::uuid[]) k(payer, payee)
     join counterparty_windows w on w.payer = k.payer and w.payee = k.payee
     union
     select w.payer, w.payee, w.ist_day, w.ist_day_spent_paise, w.last_paid_at
     from unnest($3::uuid[]) k(payer) join counterparty_windows w on w.payer = k.payer and w.last_paid_at > $4`,
    [
      arrayLiteral(pairs.map(({ payer }) => payer)),
      arrayLiteral(pairs.map(({ payee }) => payee)),
      arrayLiteral(namings.map(({ payer }) => payer.id)),
      new Date(nowMs - HOUR_MS),
    ],
  )
  const today = istDay(new Date(nowMs))
  return rows.map(({ payer, payee, ist_day, paise, last_paid_at }) => ({
    ...{ payer, payee, paise: ist_day === today ? paise : 0n, lastPaidMs: last_paid_at.getTime() },
  }))
}

/** The payments since the last count, as the next count will add them. */
async function selectUncounted(db: Queryable, namings: readonly Naming[], nowMs: number): Promise<PaidTo[]> {
  const startOfToday = startOfIstDay(istDay(new Date(nowMs)))
  const relevantMs = Math.min(startOfToday.getTime(), nowMs - HOUR_MS)
  const payers = namings.map(({ payer }) => payer)
  const fromMs = payers.map(({ countedThroughMs }) => Math.max(Number(countedThroughMs), relevantMs))
  const rows = await db.query<{ position: number; payee: Uuid; paise: bigint; last_paid_at: Date }>(
    `select k.position::int4 as position, t.payee, t.paise, t.last_paid_at
     from unnest($1::uuid[], $2::uuid[], $3::int8[]) with ordinality k(payer, from_id, after_sequence, position)
     cross join lateral (
       select ${counterpartyOf('p')} as payee, max(p.posted_at) as last_paid_at,
         coalesce(sum(${countedPaise('p')}) filter (where p.posted_at >= $4), 0)::int8 as paise
       from transfers p
       where p.debit_account = k.payer and p.id >= k.from_id and p.debit_sequence > k.after_sequence
         and ${countsAgainstLimits('p')} and ${counterpartyOf('p')} is not null
       group by 1
     ) t`,
    [
      arrayLiteral(payers.map(({ id }) => id)),
      arrayLiteral(fromMs.map(ms => firstUuidAt(new Date(ms)))),
      arrayLiteral(payers.map(({ countedThroughSequence }) => countedThroughSequence)),
      startOfToday,
    ],
  )
  return rows.map(({ position, payee, paise, last_paid_at }) => ({
    ...{ payer: keyAt(payers, position).id, payee, paise, lastPaidMs: last_paid_at.getTime() },
  }))
}

async function selectCanReceive(db: Queryable, ids: readonly Uuid[]): Promise<ReadonlySet<Uuid>> {
  const rows = await db.query<{ id: Uuid }>(
    `select id from agents where id = any($1::uuid[]) and status in ('active', 'quarantined')`,
    [arrayLiteral([...new Set(ids)])],
  )
  return new Set(rows.map(({ id }) => id))
}
