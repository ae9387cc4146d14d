import type { WebhookDelivery } from '@batua/contract'
import { beforeEach, describe, expect } from 'vitest'
import { creditSideOf, formatId, newUuid, parseId, type Uuid } from '../../kernel/ids.ts'
import { order } from '../../testing/builders.ts'
import { refusalOf } from '../../testing/expect-refusal.ts'
import { clock, database, newFundedAgent, newUnfundedAgent, node, test } from '../../testing/ledger-test.ts'
import { networkContext } from '../../testing/network.ts'
import { openAttemptSlots } from './attempt-slots.ts'
import { fanOut } from './delivering/fan-out.ts'
import { retryDelivery } from './retry.ts'
import { listDeliveries } from './routes.ts'
import { newDeliverer, setReceiver } from './testing/delivering.ts'
import { type Receiver, startReceiver } from './testing/receiver.ts'

let receiver: Receiver
let status: number
let payer: Uuid
let payee: Uuid
let payment: Uuid

// A payment whose events were fanned out to both sides and had no attempt yet.
beforeEach(async () => {
  status = 500
  receiver = await startReceiver(response => response.writeHead(status).end())
  payer = await newFundedAgent(1_000_000n)
  payee = await newUnfundedAgent()
  await setReceiver(database, payer, receiver.origin)
  await setReceiver(database, payee, receiver.origin)
  const { payment_id } = await node.pay(order(payer, payee, 10_000n))
  payment = parseId('pay', payment_id ?? '') ?? ''
  await fanOut(database, clock.now())
})

const context = () => ({ ...networkContext(database, clock), slots: openAttemptSlots() })
const retry = (platformId: Uuid, event: Uuid) =>
  retryDelivery(context(), { kind: 'platform', platformId }, formatId('whd', event))

async function listed(platformId: Uuid): Promise<WebhookDelivery[]> {
  const list = await listDeliveries(context(), { kind: 'platform', platformId }, {})
  expect(list.pagination.total).toBe(list.deliveries.length)
  return list.deliveries
}

describe('a payment’s event that waits for its first attempt', () => {
  test('is listed as a pending delivery to the current webhook_url, due since it happened', async () => {
    const at = clock.now().toISOString()
    const pending = {
      url: receiver.origin,
      status: 'pending',
      attempts: 0,
      next_attempt_at: at,
      created_at: at,
    }
    expect(await listed(payer)).toMatchObject([{ ...pending, event: 'agent.payment.sent' }])
    expect(await listed(payee)).toMatchObject([
      { ...pending, event: 'agent.payment.received', event_id: formatId('evt', creditSideOf(payment)) },
    ])
  })

  test('can be retried by its own side before its first attempt, and is listed once although it is still in the backlog', async () => {
    expect(await retry(payer, payment)).toMatchObject({
      status: 'pending',
      attempts: 1,
      response_status: 500,
    })
    status = 200
    const received = await retry(payee, creditSideOf(payment))
    expect(received).toMatchObject({ event: 'agent.payment.received', status: 'delivered', attempts: 1 })
    expect(await listed(payee)).toEqual([received])
    expect((await listed(payer)).length).toBe(1)
    expect(receiver.requests.map(({ body }) => JSON.parse(body).event)).toEqual([
      'agent.payment.sent',
      'agent.payment.received',
    ])
  })

  test('stays delivered if the deliverer, which has it in its buffer, fails to deliver it', async () => {
    status = 200
    const delivered = await retry(payer, payment)
    status = 500
    const deliverer = newDeliverer(database, clock)
    await deliverer.runDue()
    await deliverer.stop()
    expect(await listed(payer)).toMatchObject([
      { status: 'delivered', delivered_at: delivered.delivered_at, next_attempt_at: null },
    ])
  })

  test('is attempted once if its failed retry and its backlog entry are due together', async () => {
    await retry(payer, payment)
    clock.advance(60_000)
    status = 200
    const deliverer = newDeliverer(database, clock)
    await deliverer.runDue()
    await deliverer.stop()
    expect(await listed(payer)).toMatchObject([{ status: 'delivered', attempts: 2 }])
    expect(
      receiver.requests.filter(({ body }) => JSON.parse(body).event === 'agent.payment.sent').length,
    ).toBe(2)
    expect(await database.query(`select 1 from webhook_backlog where platform_id = $1`, [payer])).toEqual([])
  })

  test('is not found by the other side’s platform, nor by a similar id', async () => {
    for (const [platformId, event] of [
      [payer, creditSideOf(payment)],
      [payee, payment],
      [payer, newUuid(clock.now())],
    ] as const) {
      expect(await refusalOf(retry(platformId, event))).toMatchObject({ code: 'not_found' })
    }
    expect(receiver.requests).toEqual([])
  })
})
