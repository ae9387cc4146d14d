import { SANDBOX_OUTCOMES } from '@batua/contract'
import { expect } from 'vitest'
import { sessionIdOf } from '../../banking/funding/funding-record.ts'
import type { Payout } from '../../banking/payouts/payout.ts'
import { simulateOutcome } from '../../sandbox/simulate-outcome.ts'
import { stage, test } from './testing/reconciliation-stage.ts'

const payouts: Payout[] = []

const BANK_ACCOUNTS = ['123456789012', '900000000006', '900000000007', '900000000008', '7766671735000']
const DISPUTES = ['chargeback', 'chargeback_created', 'chargeback_won'] as const
/** The gateway refuses its refund, so it is a difference until an administrator pays it back. */
const LEFT = 'refund_failed'

async function runEverything(): Promise<void> {
  const disputes: readonly string[] = DISPUTES
  for (const outcome of SANDBOX_OUTCOMES) {
    if (!disputes.includes(outcome) && outcome !== LEFT) await stage.fund(outcome)
  }
  for (const dispute of DISPUTES) {
    const funding = await stage.fund('success')
    await simulateOutcome(stage.world.sandbox, sessionIdOf(funding), dispute)
  }
  for (const bankAccount of BANK_ACCOUNTS) payouts.push(await stage.payOut(bankAccount))
}

/** All jobs of the service as time goes by: what falls due is done. */
async function advance(seconds: number): Promise<void> {
  stage.world.advance(seconds)
  await stage.world.jobs.runDue()
  for (const payout of payouts) await stage.follow(payout)
}

test('reconciliation finds no difference while fundings, refunds and payouts are in progress', async () => {
  await runEverything()
  const report = await stage.compare()
  expect(await stage.differences()).toEqual([])
  expect(report).toMatchObject({ differences: 0, unchecked: 0 })
})

test.each([60, 300, 3_600, 86_400, 3 * 86_400, 10 * 86_400])(
  'reconciliation finds no difference %i seconds later, after the due work has run',
  async seconds => {
    await advance(seconds)
    const report = await stage.compare()
    expect(await stage.differences()).toEqual([])
    expect(report).toMatchObject({ differences: 0, unchecked: 0 })
  },
)

test('the totals of the ledger and the gateway are the same', async () => {
  const { totals } = await stage.compare()
  for (const name of ['fundings', 'refunds', 'chargebacks', 'payouts', 'payments'] as const) {
    const { count, oursPaise, theirsPaise } = totals[name]
    expect([name, count > 0, oursPaise]).toEqual([name, true, theirsPaise])
  }
  expect(totals.charges.theirsPaise).toBeGreaterThanOrEqual(totals.charges.oursPaise)
  expect(totals.settlements.count).toBeGreaterThan(0)
  expect(totals.foreign.count).toBe(0)
})

test('a refund that failed for good is a difference until the operator refunds it', async () => {
  const funding = await stage.fund(LEFT)
  await advance(86_400)
  await stage.compare()
  expect(await stage.differences()).toMatchObject([
    { kind: 'refund_not_made', ours: 'refund failed 1000.00', theirs: 'failed', amount: 100_000n },
  ])
  expect(funding.amountPaise).toBe(100_000n)
})
