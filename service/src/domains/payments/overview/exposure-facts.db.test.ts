import { expect } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../../kernel/clock.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { type AgentColumns, changeAgent, order } from '../../../testing/builders.ts'
import { held, intent, refundOn, releaseOn } from '../../../testing/escrows.ts'
import {
  clock,
  database,
  newFundedAgent,
  newUnfundedAgent,
  node,
  test,
} from '../../../testing/ledger-test.ts'
import { readExposure } from './exposure.ts'

async function exposureOf(agentId: Uuid) {
  const [found] = await readExposure(database, [agentId], clock.now())
  return found?.figures
}

const hourOf = async (agentId: Uuid) => (await exposureOf(agentId))?.hour

/** A payer of 1,000 INR with a budget for counting, and the payees of its list. */
async function payerOf(columns: AgentColumns, payees: readonly Uuid[] = []): Promise<Uuid> {
  const lists = payees.length === 0 ? {} : { allowed_payees: payees }
  return newFundedAgent(100_000n, { ...lists, ...columns })
}

test('held money and waiting approvals are shown separately, and are not part of the exposure', async () => {
  const payee = await newUnfundedAgent()
  const payer = await payerOf({ require_human_approval_above_paise: 20_000n })
  await held(database, node, intent(payer, 10_000n))
  await node.pay(order(payer, payee, 30_000n))
  await node.pay(order(payer, payee, 20_001n))
  expect(await exposureOf(payer)).toMatchObject({
    ...{ held: 100, authorized: 0, pending_approvals: 500.01 },
    // 900 INR pay 200 four times, each with a fee of 1, and then 95 with a fee of 1.
    hour: { amount: 895, bound_by: { rule: 'balance', layer: null } },
  })
  clock.advance(DAY_MS + 1)
  expect(await exposureOf(payer)).toMatchObject({ held: 100, pending_approvals: 0 })
})

test('payments to one payee of a list today count, no matter whether they were counted before', async () => {
  const [payee, other] = [await newUnfundedAgent(), await newUnfundedAgent()]
  const payer = await payerOf({}, [payee, other])
  await node.pay(order(payer, payee, 1_000n))
  await changeAgent(database, payer, { per_counterparty_daily_limit_paise: 3_000n })
  const bound_by = { rule: 'per_counterparty_daily_limit', layer: 'agent' }
  expect(await hourOf(payer)).toEqual({ amount: 50, bound_by })
  await expect(node.pay(order(payer, payee, 2_001n))).rejects.toThrow()
  expect(await hourOf(payer)).toEqual({ amount: 50, bound_by })
  await node.pay(order(payer, payee, 500n))
  expect(await hourOf(payer)).toEqual({ amount: 45, bound_by })
})

test('a hold counts until it is refunded, and its release counts for the payee that it names', async () => {
  const [payee, other] = [await newUnfundedAgent(), await newUnfundedAgent()]
  const payer = await payerOf(
    {
      spend_limit_hourly_paise: 9_000n,
      max_counterparties_per_hour: 1,
      per_counterparty_daily_limit_paise: 5_000n,
    },
    [payee, other],
  )
  const [first, second] = [
    await held(database, node, intent(payer, 2_000n)),
    await held(database, node, intent(payer, 3_000n)),
  ]
  expect(await hourOf(payer)).toMatchObject({ amount: 40, bound_by: { rule: 'spend_limit_hourly' } })
  await refundOn(node, first)
  expect(await hourOf(payer)).toMatchObject({ amount: 50, bound_by: { rule: 'max_counterparties_per_hour' } })
  await releaseOn(node, second, payee)
  expect(await hourOf(payer)).toMatchObject({ amount: 20, bound_by: { rule: 'max_counterparties_per_hour' } })
})

test('a stopped payee cannot be paid, and if the list has no other one, the list bounds the exposure', async () => {
  const payee = await newUnfundedAgent({ status: 'paused' })
  const payer = await payerOf({}, [payee])
  expect(await hourOf(payer)).toEqual({ amount: 0, bound_by: { rule: 'allowed_payees', layer: 'agent' } })
  await changeAgent(database, payee, { status: 'quarantined' })
  expect(await hourOf(payer)).toMatchObject({ bound_by: { rule: 'balance', layer: null } })
})

test('a budget increase that falls due within the time raises the exposure from then on', async () => {
  const payer = await payerOf({ budget_limit_paise: 10_000n })
  await database.query(
    `update agents set pending_budget_paise = 25000, pending_budget_effective_at = $2 where id = $1`,
    [payer, new Date(clock.now().getTime() + 2 * HOUR_MS)],
  )
  const bound_by = { rule: 'budget_limit', layer: 'org' }
  expect(await exposureOf(payer)).toMatchObject({
    agent_id: formatId('agt', payer),
    hour: { amount: 100, bound_by },
    day: { amount: 250, bound_by },
  })
})
