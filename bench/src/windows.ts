import { type Database, openDatabase } from '../../service/src/db/database.ts'
import { migrate } from '../../service/src/db/migrate.ts'
import { DAY_MS, istDay, startOfIstDay } from '../../service/src/kernel/clock.ts'
import { firstUuidAt, newUuid, type Uuid } from '../../service/src/kernel/ids.ts'
import { paise, ZERO_PAISE } from '../../service/src/kernel/money.ts'
import { SYSTEM } from '../../service/src/ledger/index.ts'
import { insertBatch } from '../../service/src/ledger/transfers.ts'
import {
  changeAgent,
  fund,
  insertAgent,
  order,
  startNode,
  type TestNode,
} from '../../service/src/testing/builders.ts'
import { type ManualClock, manualClock } from '../../service/src/testing/manual-clock.ts'
import { median } from './figures.ts'
import { BENCH_VAULT, writeTierMacs } from './row-macs.ts'
import { type ServerAddress, urlOf } from './server-address.ts'

/** The cost of limits for a payer with a short and with a long history: medians, microseconds a payment. */
export interface WindowsReport {
  readonly rows: readonly { readonly what: string; readonly shortUs: number; readonly longUs: number }[]
  /** The read of a whole day when counterparties have to be counted for the first time. */
  readonly firstCountMs: number
}

export const SHORT_HISTORY = 100
/** A little over a million: a payment every 80 ms. */
export const LONG_HISTORY = 1_080_000

const DATABASE = 'windows'
const NOON = new Date('2026-11-20T06:30:00.000Z')
const PAYMENTS = 400
const PAYEES = 40
const PAISE = 100n
const PLENTY = 10_000_000_000_000n
const PER_COUNTERPARTY_DAILY = 20n * PAISE

/** One payer, with its own node and clock. */
interface Payer {
  readonly id: Uuid
  readonly node: TestNode
  readonly clock: ManualClock
  readonly tier: 'tier1' | 'tier2'
  /** Its own payee: no payment may be before the payee's latest one, and the payers' clocks differ. */
  readonly payees: readonly Uuid[]
  readonly history: number
  /** The time between two payments of its history: when it pays again, the oldest one leaves the day's window. */
  readonly spacingMs: number
}

/**
 * Two payers pay alternately, one payment at a time: one made a hundred payments within the last 24 hours, the other
 * a million. Each continues at the rate of its history, so that for both one payment leaves the window with each new one.
 */
export async function measureWindows(
  server: ServerAddress,
  db: Database,
  say: (line: string) => void,
): Promise<WindowsReport> {
  await db.query(`create database ${DATABASE}`)
  const url = urlOf({ ...server, database: DATABASE })
  await migrate(url)
  const database = openDatabase(url, { applicationName: 'bench' })
  try {
    say('rolling windows: writing a history of a million payments')
    const short = await makePayer(database, 'tier1', SHORT_HISTORY)
    const long = await makePayer(database, 'tier2', LONG_HISTORY)
    await database.query('analyze transfers')
    const report = await compare(database, short, long)
    await Promise.all([short.node.ledger.close(), long.node.ledger.close()])
    return report
  } finally {
    await database.close()
  }
}

async function compare(database: Database, short: Payer, long: Payer): Promise<WindowsReport> {
  const rows: WindowsReport['rows'][number][] = []
  const measure = async (what: string) => {
    const [shortUs, longUs] = await takeTurns([short, long])
    rows.push({ what, shortUs: shortUs ?? Number.NaN, longUs: longUs ?? Number.NaN })
  }
  await measure('far from every limit')
  for (const payer of [short, long]) await limitDay(database, payer)
  await measure('at the limit over 24 hours, whose window each payment makes exact')
  for (const payer of [short, long]) await limitCounterparties(database, payer)
  const before = performance.now()
  await payOnce(long, 0)
  const firstCountMs = performance.now() - before
  await measure('at the counterparty limits, whose payees each payment counts')
  return { rows, firstCountMs }
}

/** Medians of both payers, who alternate so that a drift of the machine favours neither. */
async function takeTurns(payers: readonly Payer[]): Promise<number[]> {
  const times = payers.map((): number[] => [])
  for (let turn = 0; turn < PAYMENTS; turn++) {
    for (const [index, payer] of payers.entries()) {
      const before = performance.now()
      await payOnce(payer, turn)
      times[index]?.push((performance.now() - before) * 1000)
    }
  }
  return times.map(median)
}

async function payOnce({ id, node, clock, spacingMs, payees }: Payer, turn: number): Promise<void> {
  clock.advance(spacingMs)
  await node.pay(order(id, payees[turn % payees.length] ?? null, PAISE))
}

async function makePayer(database: Database, tier: Payer['tier'], history: number): Promise<Payer> {
  const clock = manualClock(NOON)
  const node = startNode({ database, clock })
  const id = await insertAgent(database, NOON, { tier })
  await fund(node.ledger, id, PLENTY)
  await setDailyLimit(database, tier, PLENTY)
  const spacingMs = DAY_MS / history
  await writeHistory(database, id, await insertAgent(database, NOON), history, spacingMs)
  const payees = await Promise.all(Array.from({ length: PAYEES }, () => insertAgent(database, NOON)))
  return { id, node, clock, tier, history, spacingMs, payees }
}

/** Payments made one by one until noon, and the resulting account. */
async function writeHistory(
  database: Database,
  payer: Uuid,
  payee: Uuid,
  history: number,
  spacingMs: number,
): Promise<void> {
  const startMs = NOON.getTime() - history * spacingMs
  await database.query(
    `insert into transfers (debit_account, id, credit_account, kind, amount_paise, debit_sequence, posted_at, seal)
     select $1, (lpad(to_hex(p.at_ms >> 16), 8, '0') || '-' || lpad(to_hex(p.at_ms & 65535), 4, '0') || '-7000-8000-'
         || lpad(to_hex(p.number), 12, '0'))::uuid,
       $2, 'payment', $3, p.number + 1, to_timestamp(p.at_ms / 1000.0), ''
     from (select n as number, $4::int8 + n * $5::int8 as at_ms from generate_series(1, $6::int8) n) p`,
    [payer, payee, PAISE, BigInt(startMs), BigInt(spacingMs), BigInt(history)],
  )
  const { rows, today } = await countHistory(database, payer)
  await writeLastTransfer(database, payer, rows + 2n)
  await database.query(
    `update accounts set sequence = $2 + 2, last_posted_ms = $3, last_spent_ms = $3, hour_from_ms = $4,
       hour_spent_paise = $5, day_from_ms = $4, day_spent_paise = $5, ist_day = $6, ist_day_spent_paise = $7,
       ist_month_spent_paise = $5, hour_recipients_bound = 2000000
     where id = $1`,
    [payer, rows, BigInt(NOON.getTime()), BigInt(startMs), rows * PAISE, istDay(NOON), today * PAISE],
  )
}

/** The transfer that proves the account, so it has a MAC. It counts against no limit. */
async function writeLastTransfer(database: Database, payer: Uuid, sequence: bigint): Promise<void> {
  await insertBatch(database, BENCH_VAULT, [
    {
      ...{ id: newUuid(NOON), kind: 'payout_failed', debitAccount: SYSTEM.payouts, creditAccount: payer },
      ...{ amountPaise: paise(PAISE), feePaise: ZERO_PAISE, debitBalancePaise: null, debitSequence: null },
      ...{ creditBalancePaise: paise(PLENTY), creditSequence: sequence, postedAt: NOON },
      ...{ linkedId: null, idempotencyKey: null, reference: null, note: null },
    },
  ])
}

async function countHistory(database: Database, payer: Uuid): Promise<{ rows: bigint; today: bigint }> {
  const [row] = await database.query<{ rows: bigint; today: bigint }>(
    `select count(*) as rows, count(*) filter (where id >= $2) as today from transfers
     where debit_account = $1 and kind = 'payment'`,
    [payer, firstUuidAt(startOfIstDay(istDay(NOON)))],
  )
  return row ?? { rows: 0n, today: 0n }
}

/** The limit that the payer reaches with each payment, and that allows another one when the oldest leaves the window. */
async function limitDay(database: Database, payer: Payer): Promise<void> {
  await setDailyLimit(database, payer.tier, BigInt(payer.history) * PAISE)
  await changeAgent(database, payer.id, {})
}

async function limitCounterparties(database: Database, payer: Payer): Promise<void> {
  await setDailyLimit(database, payer.tier, PLENTY)
  await changeAgent(database, payer.id, {
    per_counterparty_daily_limit_paise: payer.history === SHORT_HISTORY ? PER_COUNTERPARTY_DAILY : PLENTY,
    max_counterparties_per_hour: PAYEES + 1,
  })
}

async function setDailyLimit(database: Database, tier: Payer['tier'], paise: bigint): Promise<void> {
  await database.query(
    `update tier_defaults set per_tx_paise = $2, daily_paise = $3, monthly_paise = $2, escrow_above_paise = $2,
       approval_above_paise = $2 where tier = $1`,
    [tier, PLENTY, paise],
  )
  await writeTierMacs(database)
}
