import { randomInt } from 'node:crypto'
import { afterEach, beforeEach, expect } from 'vitest'
import type { Database } from '../../db/database.ts'
import { DAY_MS, istDay } from '../../kernel/clock.ts'
import { newUuid, type Uuid } from '../../kernel/ids.ts'
import { idBehind } from '../../ledger/index.ts'
import { database, test } from '../../testing/database-test.ts'
import { foldPayments } from './jobs.ts'
import { addToDays } from './payment-days-store.ts'
import { readPayments } from './read-payments.ts'

const NOON = new Date('2026-11-20T06:30:00.000Z')
const MINUTE_MS = 60_000

beforeEach(async () => {
  await database.query(`delete from payment_days; delete from transfers;
    update fold_cursors set folded_before = '00000000-0000-0000-0000-000000000000',
      closing_before = '00000000-0000-0000-0000-000000000000', closing_xid = '0'`)
})

afterEach(() => {
  history.length = 0
})

interface Paid {
  readonly at: Date
  readonly amount: bigint
  readonly fee: bigint
}

const history: Paid[] = []

const INSERT = `insert into transfers (debit_account, id, credit_account, kind, amount_paise, fee_paise, posted_at, seal)
  values ($1, $2, $3, $4, $5, $6, $7, '')`

async function paid(at: Date, kind = 'payment', db: Pick<Database, 'query'> = database): Promise<void> {
  const payment = { at, amount: BigInt(randomInt(1, 100_000)), fee: BigInt(randomInt(100, 1_000)) }
  const [payer, payee]: Uuid[] = [newUuid(at), newUuid(at)]
  await db.query(INSERT, [payer, newUuid(at), payee, kind, payment.amount, payment.fee, at])
  if (kind === 'payment') history.push(payment)
}

/** The figures according to a scan of all payments. */
function expected(today: number) {
  const sum = (from: number) => {
    const days = history.filter(({ at }) => istDay(at) >= from && istDay(at) <= today)
    return {
      count: days.length,
      volume: Number(days.reduce((all, { amount }) => all + amount, 0n)) / 100,
      fees: Number(days.reduce((all, { fee }) => all + fee, 0n)) / 100,
    }
  }
  return { today: sum(today), last_30_days: sum(today - 29) }
}

/** Folds until nothing is due. Open transactions of other test files on this server may delay it. */
async function foldAll(now: Date): Promise<void> {
  while ((await unfolded()) > 0n) await foldPayments(database, now)
}

/** Folds all payments that may be folded at this moment. */
async function tryToFold(now: Date): Promise<void> {
  for (let idle = 0; idle < 3; ) idle = (await foldPayments(database, now)) > 0 ? 0 : idle + 1
}

async function unfolded(): Promise<bigint> {
  const [row] = await database.query<{ count: bigint }>(
    `select count(*) as count from transfers where id >= (select folded_before from fold_cursors where name = 'payment days')`,
    [],
  )
  return row?.count ?? -1n
}

test('the figures equal those of a full scan, whatever is folded and whatever is paid meanwhile', async () => {
  for (let made = 0; made < 30; made++) await paid(new Date(NOON.getTime() - randomInt(40 * DAY_MS)))
  let nowMs = NOON.getTime()
  for (let round = 0; round < 15; round++) {
    nowMs += randomInt(DAY_MS)
    for (let made = 0; made < 20; made++) {
      // The time of a node whose clock is less than two minutes behind.
      await paid(new Date(nowMs - randomInt(2 * MINUTE_MS)), randomInt(5) === 0 ? 'fund' : 'payment')
      if (randomInt(3) === 0) await foldPayments(database, new Date(nowMs), randomInt(1, 9))
    }
    const today = istDay(new Date(nowMs))
    expect(await readPayments(database, today)).toEqual(expected(today))
  }
})

test('the last payment before midnight in India and the first one after it are counted on different days', async () => {
  const midnight = new Date('2026-11-20T18:30:00.000Z')
  await paid(new Date(midnight.getTime() - 1))
  await paid(midnight)
  const [before, after] = [istDay(midnight) - 1, istDay(midnight)]
  for (const fold of [false, true]) {
    if (fold) await foldAll(new Date(midnight.getTime() + 3 * MINUTE_MS))
    for (const day of [before, after, after + 28, after + 29, after + 30]) {
      expect(await readPayments(database, day)).toEqual(expected(day))
    }
  }
  expect(await unfolded()).toBe(0n)
})

test('a payment that commits long after its timestamp is neither lost nor counted twice', async () => {
  await paid(new Date(NOON.getTime() - 10 * MINUTE_MS))
  const slow = await database.connect()
  await slow.query('begin')
  await slow.query(`insert into accounts (id, last_posted_ms, last_spent_ms, hour_from_ms, day_from_ms, ist_day)
    values (gen_random_uuid(), 0, 0, 0, 0, 0)`)
  await paid(NOON, 'payment', slow)
  // Even when the sandbox clock is advanced by a day before it commits.
  const later = new Date(NOON.getTime() + DAY_MS)
  await tryToFold(later)
  expect(await unfolded()).toBe(1n)
  await tryToFold(later)
  await slow.query('commit')
  await slow.release()
  for (const day of [istDay(NOON), istDay(later)]) {
    expect(await readPayments(database, day)).toEqual(expected(day))
  }
  await foldAll(later)
  expect(await unfolded()).toBe(0n)
  expect(await readPayments(database, istDay(NOON))).toEqual(expected(istDay(NOON)))
})

test('two nodes that fold concurrently count no payment twice', async () => {
  for (let made = 0; made < 60; made++) await paid(new Date(NOON.getTime() - made * DAY_MS))
  const now = new Date(NOON.getTime() + 3 * MINUTE_MS)
  while ((await unfolded()) > 0n) {
    await Promise.all([1, 2, 3, 4].map(() => foldPayments(database, now, 7)))
  }
  const today = istDay(NOON)
  expect(await readPayments(database, today)).toEqual(expected(today))
})

test('folded payments are not read again', async () => {
  for (let made = 0; made < 5; made++) await paid(NOON)
  await foldAll(new Date(NOON.getTime() + 3 * MINUTE_MS))
  const before = await readPayments(database, istDay(NOON))
  await database.query('delete from transfers')
  expect(await readPayments(database, istDay(NOON))).toEqual(before)
})

test('folding writes nothing if there are no payments', async () => {
  await paid(NOON)
  const now = new Date(NOON.getTime() + 3 * MINUTE_MS)
  await foldAll(now)
  const cursor = () => database.query('select xmin::text, folded_before from fold_cursors', [])
  const before = await cursor()
  await tryToFold(new Date(now.getTime() + DAY_MS))
  expect(await cursor()).toEqual(before)
})

test('only transfers that are not folded yet are read, however long the history is', async () => {
  await database.query(`
    insert into transfers (debit_account, id, credit_account, kind, amount_paise, posted_at, seal)
    select gen_random_uuid(), ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, gen_random_uuid(),
      'payment', 1, '2026-11-01', '' from generate_series(1, 100000) n`)
  await database.query('analyze transfers')
  const session = await database.connect()
  await session.query('set plan_cache_mode = force_generic_plan')
  const plans: string[] = []
  const explaining: Pick<Database, 'query'> = {
    async query<R extends object>(text: string, values: readonly unknown[] = []) {
      if (!text.includes('transfers')) return session.query<R>(text, values)
      const name = `tail_${plans.length}`
      const literals = values.map(value => `'${String(value)}'`).join(', ')
      await session.query(`prepare ${name} as ${text}`)
      const lines = await session.query(`explain execute ${name} (${literals})`)
      plans.push(JSON.stringify(lines))
      return session.query<R>(text, values)
    },
  }
  await readPayments(explaining, istDay(NOON))
  await addToDays(explaining, FIRST_UUID, LAST_UUID)
  await idBehind(explaining, FIRST_UUID, LAST_UUID, 10)
  await session.release()
  expect(plans).toHaveLength(3)
  for (const plan of plans) expect(plan).toContain('transfers_id')
})

const FIRST_UUID: Uuid = '00000000-0000-0000-0000-000000000000'
const LAST_UUID: Uuid = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
