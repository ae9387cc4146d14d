import type { SandboxOutcome } from '@batua/contract'
import { afterAll, beforeEach, expect } from 'vitest'
import { writeMacs } from '../../../db/row-mac.ts'
import { formatId, parseId, type Uuid } from '../../../kernel/ids.ts'
import {
  insertFundedAgent,
  order,
  outcomesOf,
  refundOrder,
  startNode,
  type TestNode,
} from '../../../testing/builders.ts'
import { TEST_VAULT } from '../../../testing/database.ts'
import { held, holdOn, intent, refundOn, releaseOn } from '../../../testing/escrows.ts'
import { eventsDuring, type PublishedEvent } from '../../../testing/published-events.ts'
import { AGENT_ROWS } from '../../limits/covered-tables.ts'
import { simulateOutcome } from '../../sandbox/simulate-outcome.ts'
import { type Opened, test, world } from '../../sandbox/testing/world.ts'

let node: TestNode
/** Each has a platform of its own and 1,000 INR. */
let payer: Uuid
let payee: Uuid

test.beforeAll(async () => {
  node = startNode({ database: world.db.database, clock: world.clock, vault: world.funding.vault })
})
beforeEach(async () => {
  payer = await agent()
  payee = await agent()
})
afterAll(async () => {
  await node.ledger.close()
})

const agent = () => insertFundedAgent(node.ledger, world.db.database, world.clock, 100_000n)
const during = (work: () => Promise<unknown>) => eventsDuring(world.db.database, work, world.funding.vault)
const id = (uuid: Uuid) => formatId('agt', uuid)
const names = (events: readonly PublishedEvent[]) => events.map(({ event }) => event)

/** The events that failing work leaves. */
const afterRefusal = (work: () => Promise<unknown>) => during(() => expect(work()).rejects.toThrow())

/** From now on both agents belong to the platform of the payer. */
async function shareOnePlatform(): Promise<void> {
  await world.db.database.query(`update agents set platform_id = $2 where id = $1`, [payee, payer])
  await writeMacs(world.db.database, TEST_VAULT, AGENT_ROWS, [payee])
}

test('a payment records agent.payment.sent for the payer’s platform and agent.payment.received for the payee’s', async () => {
  const events = await during(() => node.pay(order(payer, payee, 40_000n, { reference: 'invoice-1' })))
  const payment = { payment_id: events[0]?.data['payment_id'], amount: 400, reference: 'invoice-1' }
  expect(events).toEqual([
    {
      ...{ to: payer, event: 'agent.payment.sent', sequence: 2 },
      data: { agent_id: id(payer), to: id(payee), fee: 2, ...payment },
    },
    {
      ...{ to: payee, event: 'agent.payment.received', sequence: 2 },
      data: { agent_id: id(payee), from: id(payer), ...payment },
    },
  ])
})

test('a platform of both sides gets the events of both', async () => {
  await shareOnePlatform()
  const events = await during(() => node.pay(order(payer, payee, 40_000n)))
  expect(events.map(({ to, event }) => [to, event])).toEqual([
    [payer, 'agent.payment.sent'],
    [payer, 'agent.payment.received'],
  ])
})

test('a commit records events of exactly the payments it made, not of refused ones in the same batch', async () => {
  const rows = () =>
    world.db.database.query<{ payments: Uuid[] }>(`select payments from payment_events order by id`)
  const before = await rows()
  const amounts = [10_000n, 90_000_000n, 20_000n, 30_000n]
  const { done, refused } = await outcomesOf(amounts.map(amount => node.pay(order(payer, payee, amount))))
  expect(refused).toHaveLength(1)
  const paid = done.map(({ payment_id }) => parseId('pay', payment_id ?? ''))
  expect((await rows()).slice(before.length)).toEqual([{ payments: paid }])
  expect(await afterRefusal(() => node.pay(order(payer, payee, 90_000_000n)))).toEqual([])
})

test('a refund records agent.payment.refunded for both sides’ platforms, each with its own agent', async () => {
  const { payment_id: paymentId } = await node.pay(order(payer, payee, 40_000n))
  const events = await during(async () =>
    node.refund(await refundOrder(world.db.database, paymentId, 10_000n)),
  )
  const refund = {
    ...{ refund_id: events[0]?.data['refund_id'], payment_id: paymentId },
    ...{ from: id(payee), to: id(payer), amount: 100, refunded_total: 100 },
  }
  const event = 'agent.payment.refunded'
  expect(events).toEqual([
    { to: payee, event, sequence: 3, data: { agent_id: id(payee), ...refund } },
    { to: payer, event, sequence: 3, data: { agent_id: id(payer), ...refund } },
  ])
  const again = async () => node.refund(await refundOrder(world.db.database, paymentId, 40_000n))
  expect(await afterRefusal(again)).toEqual([])
  const rest = await during(async () => node.refund(await refundOrder(world.db.database, paymentId, null)))
  expect(rest).toMatchObject([{ data: { amount: 300, refunded_total: 400 } }, {}])
})

test('when a payment is refunded, a platform of both sides gets one event, of the agent that got the money back', async () => {
  await shareOnePlatform()
  const { payment_id: paymentId } = await node.pay(order(payer, payee, 40_000n))
  const events = await during(async () => node.refund(await refundOrder(world.db.database, paymentId, null)))
  expect(events).toMatchObject([
    { to: payer, event: 'agent.payment.refunded', data: { agent_id: id(payer) } },
  ])
})

test('a hold records agent.escrow.held for the payer’s platform', async () => {
  const wanted = intent(payer, 40_000n, { toAgentId: payee, reference: 'order-77' })
  const events = await during(() => holdOn(node, wanted))
  const escrow = { escrow_id: events[0]?.data['escrow_id'], from: id(payer), to: id(payee) }
  const data = { agent_id: id(payer), ...escrow, amount: 400, reference: 'order-77' }
  expect(events).toEqual([{ to: payer, event: 'agent.escrow.held', sequence: 2, data }])
  expect(await afterRefusal(() => holdOn(node, intent(payer, 90_000_000n)))).toEqual([])
})

test('a release records agent.escrow.released for both sides’ platforms', async () => {
  const escrow = await held(world.db.database, node, intent(payer, 40_000n))
  const events = await during(() => releaseOn(node, escrow, payee))
  expect(events).toMatchObject([
    { to: payer, event: 'agent.escrow.released', sequence: 2, data: { agent_id: id(payer), to: id(payee) } },
    { to: payee, event: 'agent.escrow.released', sequence: 2, data: { agent_id: id(payee), to: id(payee) } },
  ])
  expect(events).toHaveLength(2)
  expect(await afterRefusal(() => releaseOn(node, escrow, payee))).toEqual([])
})

test('a refunded escrow records agent.escrow.refunded for the payer’s platform', async () => {
  const escrow = await held(world.db.database, node, intent(payer, 40_000n, { toAgentId: payee }))
  const events = await during(() => refundOn(node, escrow))
  expect(events).toMatchObject([{ to: payer, event: 'agent.escrow.refunded', sequence: 3 }])
  expect(events).toHaveLength(1)
  expect(await afterRefusal(() => refundOn(node, escrow))).toEqual([])
})

async function opened(): Promise<{ agentId: Uuid; to: Uuid; funding: Opened }> {
  const agentId = await world.newAgentOfNewOwner()
  const [row] = await world.db.database.query<{ to: Uuid }>(
    `select platform_id as "to" from agents where id = $1`,
    [agentId],
  )
  return { agentId, to: row?.to ?? '', funding: await world.open(agentId) }
}

const simulate = ({ funding }: { funding: Opened }, outcome: SandboxOutcome) =>
  during(() => simulateOutcome(world.sandbox, funding.session, outcome))

test('a funding records agent.funded for the agent’s platform once, even if the gateway reports it again', async () => {
  const stage = await opened()
  const funding_id = formatId('fund', stage.funding.funding.id)
  const data = { agent_id: id(stage.agentId), amount: 1000, funding_id, fee: 25, net_amount: 975 }
  expect(await simulate(stage, 'success')).toEqual([
    { to: stage.to, event: 'agent.funded', sequence: 1, data },
  ])
  expect(await simulate(stage, 'duplicate')).toEqual([])
})

test('a failed funding records agent.funding.failed for the agent’s platform once, even if it is reported again', async () => {
  const stage = await opened()
  expect(await simulate(stage, 'failure')).toMatchObject([
    { to: stage.to, event: 'agent.funding.failed', sequence: 0, data: { agent_id: id(stage.agentId) } },
  ])
  expect(await afterRefusal(() => simulateOutcome(world.sandbox, stage.funding.session, 'failure'))).toEqual(
    [],
  )
})

test('a chargeback records agent.funding.reversed for the agent’s platform, with the sequence of the transfer that took it back', async () => {
  const stage = await opened()
  await simulate(stage, 'success')
  expect(await simulate(stage, 'chargeback')).toMatchObject([
    { to: stage.to, event: 'agent.funding.reversed', sequence: 2, data: { net_amount: 975, balance: 0 } },
  ])
})

test('the sequence of an agent’s events never decreases, and increases with each payment', async () => {
  const events = await during(async () => {
    const { payment_id: first } = await node.pay(order(payer, payee, 10_000n))
    const escrow = await held(world.db.database, node, intent(payer, 20_000n))
    // Both in one commit, where their sequences must differ.
    await Promise.all([node.pay(order(payer, payee, 1_000n)), node.pay(order(payee, payer, 1_000n))])
    await node.refund(await refundOrder(world.db.database, first, null))
    await releaseOn(node, escrow, payee)
    await node.pay(order(payer, payee, 1_000n))
  })
  expect(new Set(names(events)).size).toBe(5)
  for (const platform of [payer, payee]) {
    const own = events.filter(({ to }) => to === platform)
    const sequences = (events: readonly PublishedEvent[]) =>
      events.map(({ sequence }) => sequence ?? Number.NaN)
    expect(sequences(own)).toEqual(sequences(own).toSorted((one, other) => one - other))
    const payments = sequences(own.filter(({ event }) => /sent|received/.test(event)))
    expect(new Set(payments).size).toBe(payments.length)
    expect(payments).toHaveLength(4)
  }
})
