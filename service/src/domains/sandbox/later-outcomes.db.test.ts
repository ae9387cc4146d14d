import type { SandboxOutcome } from '@batua/contract'
import { afterEach, expect } from 'vitest'
import { paise } from '../../kernel/money.ts'
import { orderIdOf } from '../banking/funding/apply-funding-update.ts'
import { checkFunding } from '../banking/funding/check-funding.ts'
import type { Funding } from '../banking/funding/funding.ts'
import { collectUpi } from '../banking/funding/upi.ts'
import { simulateOutcome } from './simulate-outcome.ts'
import { test, world } from './testing/world.ts'

afterEach(async () => {
  expect(await world.checkLedger()).toMatchObject({ balanced: true })
  world.statuses.length = 0
})

async function simulated(outcome: SandboxOutcome, seconds: number) {
  const agent = await world.newAgentOfNewOwner()
  const { session, funding } = await world.open(agent)
  await simulateOutcome(world.sandbox, session, outcome)
  await later(seconds)
  return { agent, session, funding }
}

async function later(seconds: number): Promise<void> {
  world.advance(seconds)
  await world.jobs.runDue()
}

async function eventsOf(agentId: string): Promise<object[]> {
  return world.db.database.query(`select name, data from events where agent_id = $1 order by id`, [agentId])
}

async function stateOf({ funding }: { funding: Funding }): Promise<string | undefined> {
  return (await checkFunding(world.funding, funding))?.funding.status
}

test('a flagged payment is credited when the gateway approves it', async () => {
  const flagged = await simulated('flagged', 60)
  expect(await world.balance(flagged.agent)).toBe(0n)
  await later(61)
  expect(await stateOf(flagged)).toBe('completed')
  expect(await world.balance(flagged.agent)).toBe(97_500n)
})

test('a flagged payment that is approved after the session was cancelled is refunded', async () => {
  const flagged = await simulated('flagged', 1)
  await simulateOutcome(world.sandbox, flagged.session, 'failure')
  await later(121)
  expect(await world.balance(flagged.agent)).toBe(0n)
  expect(await world.refundsOf(flagged.funding)).toMatchObject([{ reason: 'late', status: 'done' }])
})

test('a late webhook about a payment that polling has found credits nothing more', async () => {
  const late = await simulated('late_notice', 60)
  expect(await world.balance(late.agent)).toBe(97_500n)
  expect(world.statuses).toEqual([])
  await later(241)
  expect(world.statuses).toEqual([200])
  expect(await world.balance(late.agent)).toBe(97_500n)
})

test('a payment whose webhook was reserialised on the way is found by polling', async () => {
  const { agent } = await simulated('reserialised', 60)
  expect(world.statuses).toEqual([401])
  expect(await world.balance(agent)).toBe(97_500n)
})

test('a pending refund is completed later, and once', async () => {
  const { agent, funding } = await simulated('refund_pending', 60)
  expect(await world.refundsOf(funding)).toMatchObject([{ reason: 'second_payment', status: 'sent' }])
  await later(65)
  expect(await world.refundsOf(funding)).toMatchObject([{ reason: 'second_payment', status: 'done' }])
  expect(await world.balance(agent)).toBe(97_500n)
  const sent = await world.db.database.query(`select refund_id from sandbox_refunds where order_id = $1`, [
    orderIdOf(funding),
  ])
  expect(sent).toHaveLength(1)
})

test('a failed refund is left to an operator and not retried', async () => {
  const { agent, funding } = await simulated('refund_failed', 24 * 60 * 60)
  expect(await world.refundsOf(funding)).toMatchObject([{ reason: 'second_payment', status: 'failed' }])
  expect(await world.balance(agent)).toBe(97_500n)
})

test('money for an order that was never opened here is refunded', async () => {
  const { agent } = await simulated('unknown_order', 1)
  const owed = await world.db.database.query(
    `select status from gateway_refunds where reason = 'unknown_order'`,
  )
  expect(owed).toEqual([{ status: 'done' }])
  expect(await world.balance(agent)).toBe(0n)
})

test('a dispute moves nothing until it is lost; then the funding is reversed, whatever dispute was won before', async () => {
  const { agent, session } = await simulated('success', 0)
  for (const outcome of ['chargeback_created', 'chargeback_won', 'chargeback_won'] as const) {
    expect((await simulateOutcome(world.sandbox, session, outcome)).status).toBe('completed')
    expect(await world.balance(agent)).toBe(97_500n)
  }
  expect((await simulateOutcome(world.sandbox, session, 'chargeback')).status).toBe('reversed')
  expect(await world.balance(agent)).toBe(0n)
})

test('a platform is notified of each final state of a funding, once, with its amounts', async () => {
  const { agent, session } = await simulated('success', 0)
  await simulateOutcome(world.sandbox, session, 'duplicate')
  await simulateOutcome(world.sandbox, session, 'chargeback')
  await later(3_600)
  expect(await eventsOf(agent)).toMatchObject([
    { name: 'agent.funded', data: { amount: 1000, fee: 25, net_amount: 975 } },
    { name: 'agent.funding.reversed', data: { amount: 1000, net_amount: 975, balance: 0 } },
  ])
  const failed = await simulated('expire', 3_600)
  expect(await eventsOf(failed.agent)).toMatchObject([
    { name: 'agent.funding.failed', data: { amount: 1000, reason: 'expired' } },
  ])
})

test.each([
  [9401n, null],
  [9407n, null],
  [9422n, null],
  [9429n, null],
  [9502n, null],
  [9200n, 'pending'],
  [9408n, 'pending'],
  [9409n, 'pending'],
  [9100n, 'completed'],
])('a funding of %s INR opens a session, or leaves none behind', async (rupees, expected) => {
  const agent = await world.newAgentOfNewOwner()
  const opening = world.open(agent, rupees * 100n)
  if (expected === null) {
    await expect(opening).rejects.toMatchObject({ code: 'gateway_error', status: 502 })
    expect(await world.balance(agent)).toBe(0n)
    await later(3_600)
    expect(await eventsOf(agent)).toEqual([])
    return
  }
  const opened = await opening
  expect(await stateOf(opened)).toBe(expected)
  if (expected === 'pending') await simulateOutcome(world.sandbox, opened.session, 'success')
  const fee = (paise(rupees * 100n) * 250n + 5_000n) / 10_000n
  expect(await world.balance(agent)).toBe(rupees * 100n - fee)
  expect(await eventsOf(agent)).toMatchObject([{ name: 'agent.funded' }])
})

test('a wrong UPI id and one that takes no collect requests get different errors', async () => {
  const { funding } = await world.open(await world.newAgentOfNewOwner())
  expect(await collectUpi(world.funding, funding, 'TestIncorrect@gocash')).toBe('wrong_upi_id')
  expect(await collectUpi(world.funding, funding, 'testnocollect@gocash')).toBe('unsupported')
  expect(await stateOf({ funding })).toBe('pending')
})
