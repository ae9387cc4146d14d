import { describe, expect } from 'vitest'
import { HOUR_MS } from '../../../kernel/clock.ts'
import { newUuid } from '../../../kernel/ids.ts'
import { createMetrics } from '../../../kernel/metrics.ts'
import { paise } from '../../../kernel/money.ts'
import { SYSTEM } from '../../../ledger/index.ts'
import { post } from '../../../testing/builders.ts'
import { clock, database, node, test } from '../../../testing/ledger-test.ts'
import type { LedgerCheckContext } from '../context.ts'
import { ledgerCheckJobs } from '../jobs.ts'
import { checkNextSlice, readLedgerCheck } from './check-ledger.ts'
import { addLedgerCheckMetrics } from './metrics.ts'
import { everyKind, faultsOf, foldAll, testContext, type Wallets, wholeRound } from './testing/stage.ts'

const MINUTE_MS = 60_000
let context: LedgerCheckContext
let wallets: Wallets
const logged: string[] = []

test.beforeAll(async () => {
  context = testContext(database, clock, logged)
})

const check = () => checkNextSlice(context)

async function read() {
  const { finishedAt: checkedAt, openFindings: faults } = await readLedgerCheck(database)
  return { checkedAt, faults }
}

const readSums = async () => (await readLedgerCheck(database)).result?.sums

async function figures(): Promise<Record<string, string>> {
  const metrics = createMetrics()
  addLedgerCheckMetrics(metrics, context)
  const lines = (await metrics.metrics()).split('\n').filter(line => line.startsWith('batua_'))
  return Object.fromEntries(lines.map(line => line.split(' ') as [string, string]))
}

describe('a round', () => {
  test('is reported as missing before the first one has ended', async () => {
    expect(await read()).toEqual({ checkedAt: null, faults: 0 })
    expect(await figures()).toEqual({
      batua_ledger_check_passed: 'Nan',
      batua_ledger_check_findings: '0',
      batua_ledger_check_wallets: '0',
      batua_ledger_check_round_wallets: '0',
      batua_ledger_check_age_seconds: 'Nan',
    })
  })

  test('begins a quarter of an hour after the previous one, on one node', async () => {
    wallets = await everyKind(node, database, clock)
    await Promise.all([1, 2, 3].map(check))
    const first = { checkedAt: clock.now(), faults: 0 }
    expect(await read()).toEqual(first)
    clock.advance(15 * MINUTE_MS - 1)
    await check()
    expect(await read()).toEqual(first)
    clock.advance(1)
    await check()
    expect(await read()).toEqual({ checkedAt: clock.now(), faults: 0 })
  })

  test('returns no further work to its job, so that the job sleeps between slices', async () => {
    clock.advance(15 * MINUTE_MS)
    const job = ledgerCheckJobs(context).find(({ name }) => name === 'ledger check')
    expect(await job?.run(clock.now())).toBe(0)
    expect(await read()).toMatchObject({ checkedAt: clock.now() })
  })

  test('can run in slices, with long wallets in pieces, with the same result', async () => {
    expect(await wholeRound(context, { rows: 2, wallets: 1 })).toBeGreaterThan(15)
    expect(await faultsOf(database)).toEqual([])
    expect(await figures()).toMatchObject({
      batua_ledger_check_passed: '1',
      batua_ledger_check_round_wallets: '3',
    })
  })

  test('finds the same faults in pieces as at once', async () => {
    const alter = (change: string) =>
      database.query(
        `update transfers set fee_paise = fee_paise ${change} where debit_account = $1
        and kind = 'payment' and debit_sequence = 3`,
        [wallets.payer],
      )
    await alter('+ 1')
    await wholeRound(context)
    const atOnce = await faultsOf(database)
    expect(atOnce).toMatchObject([
      { kind: 'altered_transfer', subject: wallets.payer },
      { kind: 'broken_history', subject: wallets.payer },
      { kind: 'sum_differs' },
      { kind: 'wrong_balance', subject: wallets.payer },
      { kind: 'wrong_counters', subject: wallets.payer, detail: 'total_spent_paise' },
    ])
    clock.advance(1)
    await wholeRound(context, { rows: 3, wallets: 1 })
    expect(await faultsOf(database)).toEqual(atOnce)
    await alter('- 1')
    clock.advance(1)
    await wholeRound(context)
  })

  test('is continued by another node if its own crashes', async () => {
    clock.advance(15 * MINUTE_MS)
    const before = await read()
    await database.query(
      `update scans set leased_by = gen_random_uuid(), leased_until = $1, is_running = true where name = 'ledger check'`,
      [new Date(clock.now().getTime() + MINUTE_MS)],
    )
    await check()
    expect(await read()).toEqual(before)
    clock.advance(MINUTE_MS)
    await check()
    expect(await read()).toEqual({ checkedAt: clock.now(), faults: 0 })
  })
})

describe('a fault', () => {
  test('is logged once, and counted until a later round finds it resolved', async () => {
    logged.length = 0
    const change = (paise: number) =>
      database.query('update accounts set total_spent_paise = total_spent_paise + $2 where id = $1', [
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
    expect(await read()).toEqual({ checkedAt: clock.now(), faults: 1 })
    expect(await figures()).toMatchObject({
      batua_ledger_check_passed: '0',
      batua_ledger_check_findings: '1',
    })
    expect(checkedAt).not.toEqual(clock.now())

    await change(-1)
    expect(await read()).toMatchObject({ faults: 1 })
    clock.advance(1)
    await wholeRound(context)
    expect(await read()).toEqual({ checkedAt: clock.now(), faults: 0 })
    const kept = 'select subject, kind, healed_at from scan_findings where subject = $1'
    expect(await database.query(kept, [wallets.payee])).toMatchObject([
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
    const shown = Object.entries(await figures()).filter(([name]) =>
      name.startsWith('batua_ledger_check_agrees'),
    )
    expect(Object.fromEntries(shown)).toEqual({
      'batua_ledger_check_agrees{of="wallets"}': '1',
      'batua_ledger_check_agrees{of="escrow"}': '1',
      'batua_ledger_check_agrees{of="authorizations"}': '1',
      'batua_ledger_check_agrees{of="payouts"}': '1',
    })
    expect(Object.keys(await figures()).filter(name => /paise|inr|balance[^d]/.test(name))).toEqual([])
  })

  test('are the same however much of the ledger is summed by day', async () => {
    clock.advance(1)
    await wholeRound(context)
    const unfolded = await readSums()
    expect(unfolded).toMatchObject({
      balances: { escrow: 3_000n, payouts: 100n },
      walletsDifference: 0n,
    })
    await foldAll(database, new Date(clock.now().getTime() + 3 * MINUTE_MS))
    expect((await database.query('select kind from book_sums')).length).toBeGreaterThan(8)
    await wholeRound(context)
    expect(await readSums()).toEqual(unfolded)
    expect(await faultsOf(database)).toEqual([])
  })

  test('include a funding that completes long after its id was created', async () => {
    const id = newUuid(clock.now())
    clock.advance(HOUR_MS)
    await foldAll(database, clock.now())
    const sides = { debit: SYSTEM.gateway, credit: wallets.payer }
    await post(node.ledger, [wallets.payer], { kind: 'fund', id, amountPaise: paise(500n), ...sides })
    for (const advanceMs of [0, 3 * MINUTE_MS]) {
      clock.advance(advanceMs)
      await foldAll(database, clock.now())
      await wholeRound(context)
      expect(await faultsOf(database)).toEqual([])
    }
  })
})
