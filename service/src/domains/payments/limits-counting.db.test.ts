import { describe, expect } from 'vitest'
import type { Uuid } from '../../kernel/ids.ts'
import { order, outcomesOf, paidBy } from '../../testing/builders.ts'
import { refusalOf } from '../../testing/expect-refusal.ts'
import { clock, database, newFundedAgent, newUnfundedAgent, node, test } from '../../testing/ledger-test.ts'

const newPayee = () => newUnfundedAgent()

describe('after a refusal has counted all payments, a batch that pays', () => {
  const newPayer = () =>
    newFundedAgent(1_000_000n, {
      spend_limit_per_tx_paise: 5_000n,
      per_counterparty_daily_limit_paise: 10_000n,
      max_counterparties_per_hour: 2,
    })
  const payTogether = (payer: Uuid, payees: readonly Uuid[], amount: bigint) =>
    outcomesOf(payees.map(payee => node.pay(order(payer, payee, amount))))

  test('to one agent leaves every payment of it counted', async () => {
    const [payer, payee] = [await newPayer(), await newPayee()]
    await refusalOf(node.pay(order(payer, payee, 5_001n)))
    await payTogether(payer, [payee, payee, payee], 2_000n)
    await payTogether(payer, [payee, payee, payee], 2_000n)
    const refusal = await refusalOf(node.pay(order(payer, payee, 1n)))
    expect(refusal.details).toMatchObject({ rule: 'per_counterparty_daily_limit', used: 100, remaining: 0 })
    expect(await paidBy(database, payer)).toBe(10_000n)
  })

  test('to several agents leaves every one of them counted', async () => {
    const payer = await newPayer()
    const [first, second, third] = [await newPayee(), await newPayee(), await newPayee()]
    await refusalOf(node.pay(order(payer, first, 5_001n)))
    const { done } = await payTogether(payer, [first, second, third], 100n)
    expect(done).toHaveLength(2)
    for (const payee of [third, await newPayee()]) {
      const refusal = await refusalOf(node.pay(order(payer, payee, 100n)))
      expect(refusal.details).toMatchObject({ rule: 'max_counterparties_per_hour', used: 2, remaining: 0 })
    }
  })
})

describe('retry_at', () => {
  const HOUR_MS = 3_600_000
  const hourly = () => newFundedAgent(1_000_000n, { spend_limit_hourly_paise: 10_000n })

  test('includes payments before it in the same batch, and is still the first possible moment', async () => {
    const [payer, payee] = [await hourly(), await newPayee()]
    const first = clock.now()
    await node.pay(order(payer, payee, 6_000n))
    clock.advance(600_000)
    const [paid, refused] = [node.pay(order(payer, payee, 2_000n)), node.pay(order(payer, payee, 5_000n))]
    const { details } = await refusalOf(refused)
    await paid
    expect(details).toMatchObject({ used: 80, retry_at: new Date(first.getTime() + HOUR_MS).toISOString() })
  })

  test('is a moment at which the payment passes, also where thousands of payments must leave the window first', async () => {
    const [payer, payee] = [await hourly(), await newPayee()]
    await outcomesOf(Array.from({ length: 1_500 }, () => node.pay(order(payer, payee, 1n))))
    clock.advance(60_000)
    await node.pay(order(payer, payee, 8_500n))
    const { details } = await refusalOf(node.pay(order(payer, payee, 1_200n)))
    const retryMs = Date.parse(String(details?.['retry_at']))
    expect(retryMs).toBeGreaterThan(clock.now().getTime())
    clock.set(new Date(retryMs))
    await node.pay(order(payer, payee, 1_200n))
  })
})
