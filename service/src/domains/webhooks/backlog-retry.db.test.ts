import type { WebhookDelivery } from '@batua/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { creditSideOf, formatId, newUuid, parseId, type Uuid } from '../../kernel/ids.ts'
import { newAgent, newFundedAgent, order, startNode, type TestNode } from '../../testing/builders.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { refusalOf } from '../../testing/expect-refusal.ts'
import { manualClock } from '../../testing/manual-clock.ts'
import { networkContext } from '../../testing/network.ts'
import { openAttemptSlots } from './attempt-slots.ts'
import { fanOut } from './delivering/fan-out.ts'
import { listDeliveries } from './list-deliveries.ts'
import { retryDelivery } from './retry.ts'
import { newDeliverer, setReceiver } from './testing/delivering.ts'
import { type Receiver, startReceiver } from './testing/receiver.ts'

const clock = manualClock(new Date('2026-11-20T06:30:00.000Z'))

let db: TestDatabase
let node: TestNode
let receiver: Receiver
let status: number
let payer: Uuid
let payee: Uuid
let payment: Uuid

beforeAll(async () => {
  db = await createTestDatabase()
  node = startNode({ database: db.database, clock })
})
afterAll(async () => {
  await node.ledger.close()
  await db.drop()
})

// A payment whose events were fanned out to both sides and had no attempt yet.
beforeEach(async () => {
  status = 500
  receiver = await startReceiver(response => response.writeHead(status).end())
  payer = await newFundedAgent(node.ledger, db.database, clock, 1_000_000n)
  payee = await newAgent(db.database, clock.now())
  await setReceiver(db.database, payer, receiver.origin)
  await setReceiver(db.database, payee, receiver.origin)
  const { payment_id } = await node.pay(order(payer, payee, 10_000n))
  payment = parseId('pay', payment_id ?? '') ?? ''
  await fanOut(db.database, clock.now())
})

const context = () => ({ ...networkContext(db.database, clock), slots: openAttemptSlots() })
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
    const deliverer = newDeliverer(db.database, clock)
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
    const deliverer = newDeliverer(db.database, clock)
    await deliverer.runDue()
    await deliverer.stop()
    expect(await listed(payer)).toMatchObject([{ status: 'delivered', attempts: 2 }])
    expect(
      receiver.requests.filter(({ body }) => JSON.parse(body).event === 'agent.payment.sent').length,
    ).toBe(2)
    expect(await db.database.query(`select 1 from webhook_backlog where platform_id = $1`, [payer])).toEqual(
      [],
    )
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
