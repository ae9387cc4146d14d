import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HOUR_MS, istDay } from '../../kernel/clock.ts'
import { newUuid } from '../../kernel/ids.ts'
import { silentLogger } from '../../kernel/logger.ts'
import { rupees } from '../../kernel/money.ts'
import { SYSTEM } from '../../ledger/index.ts'
import { newAgent, newFundedAgent, order, startNode, type TestNode } from '../../testing/builders.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { type ManualClock, manualClock } from '../../testing/manual-clock.ts'
import { networkContext, newOwner, newPlatform } from '../../testing/network.ts'
import { checkBookWhenDue } from './check-book.ts'
import type { AdminContext } from './context.ts'
import { foldPayments } from './fold-payments.ts'
import { readOverview } from './read-overview.ts'

const NOON = new Date('2026-11-20T06:30:00.000Z')

let db: TestDatabase
let clock: ManualClock
let node: TestNode
let context: AdminContext
const logged: string[] = []

beforeAll(async () => {
  db = await createTestDatabase()
  clock = manualClock(NOON)
  node = startNode({ database: db.database, clock })
  context = {
    ...networkContext(db.database, clock),
    logger: { ...silentLogger(), error: (_facts: unknown, message?: string) => logged.push(String(message)) },
    countPendingApprovals: async () => 3,
    countOpenAlerts: async () => 2,
  }
})

afterAll(async () => {
  await node.ledger.close()
  await db.drop()
})

const read = () => readOverview(context)
const none = { count: 0, volume: 0, fees: 0 }

describe('the overview', () => {
  test('of a service on which nothing has happened yet is all zero, and its book unchecked', async () => {
    expect(await read()).toEqual({
      platforms: 0,
      owners: 0,
      agents: { total: 0, active: 0, paused: 0, quarantined: 0, frozen: 0, deactivated: 0 },
      float: 0,
      escrow_held: 0,
      payments: { today: none, last_30_days: none },
      pending_approvals: 3,
      open_alerts: 2,
      failed_deliveries: 0,
      ledger: { balanced: null, checked_at: null },
    })
  })

  test('counts who is there, and what they hold and paid, at this moment', async () => {
    const { platform } = await newPlatform({ ...networkContext(db.database, clock) })
    await newOwner(networkContext(db.database, clock), platform.id)
    const payer = await newFundedAgent(node.ledger, db.database, clock, 1_000_000n)
    const payee = await newAgent(db.database, clock.now())
    for (const status of ['paused', 'quarantined', 'quarantined', 'frozen', 'deactivated'] as const) {
      await newAgent(db.database, clock.now(), { status })
    }
    await node.pay(order(payer, payee, 40_000n))
    clock.advance(HOUR_MS)
    await node.pay(order(payer, payee, 10_050n))
    const seen = await read()
    expect(seen).toMatchObject({
      platforms: 1,
      owners: 1,
      agents: { total: 7, active: 2, paused: 1, quarantined: 2, frozen: 1, deactivated: 1 },
      float: 9997,
      escrow_held: 0,
    })
    expect(seen.payments.today).toEqual({ count: 2, volume: 500.5, fees: 3 })
    expect(seen.payments.last_30_days).toEqual(seen.payments.today)
    for (let call = 0; call < 4; call++) await foldPayments(db.database, clock.now())
    expect(await read()).toEqual(seen)
  })

  test('counts a payment today until midnight in India, and then for 29 days more', async () => {
    const { payments } = await read()
    clock.set(new Date('2026-11-20T18:30:00.000Z'))
    expect((await read()).payments).toEqual({ today: none, last_30_days: payments.today })
    clock.set(new Date('2026-12-19T18:29:59.999Z'))
    expect((await read()).payments.last_30_days).toEqual(payments.today)
    clock.set(new Date('2026-12-19T18:30:00.000Z'))
    expect((await read()).payments.last_30_days).toEqual(none)
    expect(istDay(clock.now()) - istDay(NOON)).toBe(30)
  })

  test('shows what escrow holds by its transfers', async () => {
    const wallet = newUuid(NOON)
    for (const [debit, credit, amount] of [
      [wallet, SYSTEM.escrow, 70_000n],
      [SYSTEM.escrow, wallet, 20_050n],
    ] as const) {
      await db.database.query(
        `insert into transfers (debit_account, id, credit_account, kind, amount_paise, posted_at, seal)
         values ($1, $2, $3, 'hold', $4, now(), '')`,
        [debit, newUuid(NOON), credit, amount],
      )
    }
    expect((await read()).escrow_held).toBe(rupees(49_950n))
    await db.database.query(`delete from transfers where kind = 'hold'`)
  })
})

describe('the check of the book', () => {
  const check = (startedAt: Date) => checkBookWhenDue(context, clock.now(), startedAt)

  test('runs when a process starts and then every hour, once however many nodes there are', async () => {
    const startedAt = clock.now()
    clock.advance(1_000)
    const nodes = await Promise.all([1, 2, 3].map(() => check(startedAt)))
    expect(nodes.toSorted()).toEqual([0, 0, 1])
    const first = { balanced: true, checked_at: clock.now().toISOString() }
    expect((await read()).ledger).toEqual(first)
    clock.advance(HOUR_MS)
    expect(await check(startedAt)).toBe(0)
    expect((await read()).ledger).toEqual(first)
    clock.advance(1)
    expect(await check(startedAt)).toBe(1)
    expect((await read()).ledger.checked_at).toBe(clock.now().toISOString())
    const restartedAt = new Date(clock.now().getTime() + 1)
    expect(await check(startedAt)).toBe(0)
    clock.advance(2)
    expect(await check(restartedAt)).toBe(1)
  })

  test('says when the book is wrong, and logs it', async () => {
    const startedAt = new Date(clock.now().getTime() + 1)
    expect(logged).toEqual([])
    await db.database.query('update accounts set balance_paise = balance_paise + 1')
    clock.advance(2)
    await check(startedAt)
    expect((await read()).ledger).toEqual({ balanced: false, checked_at: clock.now().toISOString() })
    expect(logged).toEqual(['the book is not balanced'])
  })
})
