import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HOUR_MS } from '../../../kernel/clock.ts'
import { newUuid } from '../../../kernel/ids.ts'
import { createMetrics } from '../../../kernel/metrics.ts'
import { paise } from '../../../kernel/money.ts'
import { SYSTEM } from '../../../ledger/index.ts'
import { post, startNode, type TestNode } from '../../../testing/builders.ts'
import { createTestDatabase, type TestDatabase } from '../../../testing/database.ts'
import { type ManualClock, manualClock } from '../../../testing/manual-clock.ts'
import { checkNextSlice } from './check-slice.ts'
import type { IntegrityContext } from './context.ts'
import { integrityJobs } from './jobs.ts'
import { addIntegrityMetrics } from './metrics.ts'
import { readBookCheck, readBookSums } from './store.ts'
import { everyKind, faultsOf, foldAll, testContext, type Wallets, wholeRound } from './testing/stage.ts'

const MINUTE_MS = 60_000
let db: TestDatabase
let clock: ManualClock
let node: TestNode
let context: IntegrityContext
let wallets: Wallets
const logged: string[] = []

beforeAll(async () => {
  db = await createTestDatabase()
  clock = manualClock(new Date('2026-11-20T06:30:00.000Z'))
  node = startNode({ database: db.database, clock })
  context = testContext(db.database, clock, logged)
})

afterAll(async () => {
  await node.ledger.close()
  await db.drop()
})

const check = () => checkNextSlice(context, clock.now())
const read = () => readBookCheck(db.database)

async function figures(): Promise<Record<string, string>> {
  const metrics = createMetrics()
  addIntegrityMetrics(metrics, context)
  const lines = (await metrics.metrics()).split('\n').filter(line => line.startsWith('book_'))
  return Object.fromEntries(lines.map(line => line.split(' ') as [string, string]))
}

describe('a round', () => {
  test('is reported as missing before the first one has ended', async () => {
    expect(await read()).toEqual({ checkedAt: null, balanced: null })
    expect(await figures()).toEqual({
      book_balanced: 'Nan',
      book_faults: '0',
      book_wallets_checked: '0',
      book_round_wallets: '0',
      book_seconds_since_round: 'Nan',
    })
  })

  test('begins a quarter of an hour after the previous one, on one node', async () => {
    wallets = await everyKind(node, db.database, clock)
    await Promise.all([1, 2, 3].map(check))
    const first = { checkedAt: clock.now(), balanced: true }
    expect(await read()).toEqual(first)
    clock.advance(15 * MINUTE_MS - 1)
    await check()
    expect(await read()).toEqual(first)
    clock.advance(1)
    await check()
    expect(await read()).toEqual({ checkedAt: clock.now(), balanced: true })
  })

  test('returns no further work to its job, so that the job sleeps between slices', async () => {
    clock.advance(15 * MINUTE_MS)
    const job = integrityJobs(context).find(({ name }) => name === 'book check')
    expect(await job?.run(clock.now())).toBe(0)
    expect(await read()).toMatchObject({ checkedAt: clock.now() })
  })

  test('can run in slices, with long wallets in pieces, with the same result', async () => {
    expect(await wholeRound(context, { rows: 2, wallets: 1 })).toBeGreaterThan(15)
    expect(await faultsOf(db.database)).toEqual([])
    expect(await figures()).toMatchObject({ book_balanced: '1', book_round_wallets: '3' })
  })

  test('finds the same faults in pieces as at once', async () => {
    const spoil = (change: string) =>
      db.database.query(
        `update transfers set fee_paise = fee_paise ${change} where debit_account = $1
        and kind = 'payment' and debit_sequence = 3`,
        [wallets.payer],
      )
    await spoil('+ 1')
    await wholeRound(context)
    const atOnce = await faultsOf(db.database)
    expect(atOnce).toMatchObject([
      { kind: 'altered_transfer', subject: wallets.payer },
      { kind: 'broken_history', subject: wallets.payer },
      { kind: 'sum_differs' },
      { kind: 'wrong_balance', subject: wallets.payer },
      { kind: 'wrong_counters', subject: wallets.payer, detail: 'total_spent_paise' },
    ])
    clock.advance(1)
    await wholeRound(context, { rows: 3, wallets: 1 })
    expect(await faultsOf(db.database)).toEqual(atOnce)
    await spoil('- 1')
    clock.advance(1)
    await wholeRound(context)
  })

  test('is continued by another node if its own crashes', async () => {
    clock.advance(15 * MINUTE_MS)
    const before = await read()
    await db.database.query(
      `update book_check set leased_by = gen_random_uuid(), leased_until = $1, round_started_at = $2`,
      [new Date(clock.now().getTime() + MINUTE_MS), clock.now()],
    )
    await check()
    expect(await read()).toEqual(before)
    clock.advance(MINUTE_MS)
    await check()
    expect(await read()).toEqual({ checkedAt: clock.now(), balanced: true })
  })
})

describe('a fault', () => {
  test('is logged once, and counted until a later round finds it healed', async () => {
    logged.length = 0
    const change = (paise: number) =>
      db.database.query('update accounts set total_spent_paise = total_spent_paise + $2 where id = $1', [
        wallets.payee,
        paise,
      ])
    await change(1)
    clock.advance(1)
    await wholeRound(context)
    const { checkedAt } = await read()
    clock.advance(1)
    await wholeRound(context)
    expect(logged).toEqual(['ledger check found a fault'])
    expect(await read()).toEqual({ checkedAt: clock.now(), balanced: false })
    expect(await figures()).toMatchObject({ book_balanced: '0', book_faults: '1' })
    expect(checkedAt).not.toEqual(clock.now())

    await change(-1)
    expect(await read()).toMatchObject({ balanced: false })
    clock.advance(1)
    await wholeRound(context)
    expect(await read()).toEqual({ checkedAt: clock.now(), balanced: true })
    const kept = 'select subject, kind, healed_at from book_faults where subject = $1'
    expect(await db.database.query(kept, [wallets.payee])).toMatchObject([
      { kind: 'wrong_counters', healed_at: clock.now() },
    ])

    await change(1)
    clock.advance(1)
    await wholeRound(context)
    expect(logged).toHaveLength(2)
    await change(-1)
  })
})

describe('the sums', () => {
  test('are flags in the metrics, whose readers may not see balances', async () => {
    clock.advance(1)
    await wholeRound(context)
    const shown = Object.entries(await figures()).filter(([name]) => name.startsWith('book_agrees'))
    expect(Object.fromEntries(shown)).toEqual({
      'book_agrees{of="wallets"}': '1',
      'book_agrees{of="escrow"}': '1',
      'book_agrees{of="payouts"}': '1',
    })
    expect(Object.keys(await figures()).filter(name => /paise|inr|balance[^d]/.test(name))).toEqual([])
  })

  test('are the same however much of the ledger is summed by day', async () => {
    clock.advance(1)
    await wholeRound(context)
    const unfolded = await readBookSums(db.database)
    expect(unfolded).toMatchObject({
      balances: { escrow: '3000', payouts: '100' },
      walletsDifference: '0',
    })
    await foldAll(db.database, new Date(clock.now().getTime() + 2 * MINUTE_MS))
    expect((await db.database.query('select kind from book_sums')).length).toBeGreaterThan(8)
    await wholeRound(context)
    expect(await readBookSums(db.database)).toEqual(unfolded)
    expect(await faultsOf(db.database)).toEqual([])
  })

  test('include a funding that completes long after its id was created', async () => {
    const id = newUuid(clock.now())
    clock.advance(HOUR_MS)
    await foldAll(db.database, clock.now())
    const sides = { debit: SYSTEM.gateway, credit: wallets.payer }
    await post(node.ledger, [wallets.payer], { kind: 'fund', id, amountPaise: paise(500n), ...sides })
    for (const advanceMs of [0, 2 * MINUTE_MS]) {
      clock.advance(advanceMs)
      await foldAll(db.database, clock.now())
      await wholeRound(context)
      expect(await faultsOf(db.database)).toEqual([])
    }
  })
})
