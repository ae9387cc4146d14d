import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { signTimestamped } from '../../gateways/cashfree/signed-webhook.ts'
import { type GatewayResult, rejected } from '../../gateways/gateway-result.ts'
import type { PaymentGateway } from '../../gateways/payment-gateway.ts'
import { formatId, newUuid } from '../../kernel/ids.ts'
import { paise } from '../../kernel/money.ts'
import { orderIdOf } from '../banking/funding/apply-funding-update.ts'
import { checkFunding } from '../banking/funding/check-funding.ts'
import { fundingWebhooks } from '../banking/funding/funding-webhooks.ts'
import { gatewayRefunds } from '../banking/funding/refunds.ts'
import { collectUpi } from '../banking/funding/upi.ts'
import { handleGatewayWebhook } from '../banking/gateway-webhooks.ts'
import { simulateOutcome } from './simulate-outcome.ts'
import { openWorld, type World } from './testing/world.ts'

type Call = 'createOrder' | 'getOrder' | 'cancelOrder' | 'refund' | 'getRefund'

/** The outcome of the next calls: the response is lost after the call took effect, or the call never arrives. */
type Fault = 'response lost' | 'never arrives' | 'rejected' | 'crashes'

const faults = new Map<Call, Fault[]>()
const UNKNOWN = { kind: 'unknown', message: 'timeout' } as const
let world: World

beforeAll(async () => {
  world = await openWorld(faulty)
})
afterEach(async () => {
  faults.clear()
  expect(await world.checkLedger()).toMatchObject({ balanced: true })
})
afterAll(() => world.close())

function faulty(gateway: PaymentGateway): PaymentGateway {
  async function through<T>(call: Call, send: () => Promise<GatewayResult<T>>): Promise<GatewayResult<T>> {
    switch (faults.get(call)?.shift()) {
      case undefined:
        return send()
      case 'rejected':
        return rejected('no', 'no')
      case 'never arrives':
        return UNKNOWN
      case 'response lost':
        await send()
        return UNKNOWN
      case 'crashes':
        await send()
        throw new Error('the process crashes here')
    }
  }
  return {
    ...gateway,
    createOrder: order => through('createOrder', () => gateway.createOrder(order)),
    getOrder: key => through('getOrder', () => gateway.getOrder(key)),
    cancelOrder: key => through('cancelOrder', () => gateway.cancelOrder(key)),
    refund: (key, refund) => through('refund', () => gateway.refund(key, refund)),
    getRefund: (key, id) => through('getRefund', () => gateway.getRefund(key, id)),
  }
}

async function fundingsOf(agentId: string) {
  return world.db.database.query<{ id: string; status: string; order: string | null }>(
    `select id, status, gateway_order_id as order from fundings where agent_id = $1`,
    [agentId],
  )
}

async function gatewayStatus(id: string): Promise<string | undefined> {
  const response = await world.gateway.getOrder({ orderId: formatId('fund', id), gatewayOrderId: null })
  return response.kind === 'value' ? response.value?.status : undefined
}

test('an order whose creation got no response is found, not created twice', async () => {
  faults.set('createOrder', ['response lost'])
  const agent = await world.newAgentOfNewOwner()
  const { session, funding } = await world.open(agent)
  expect(funding.gatewayOrderId).toMatch(/^sandbox_/)
  await simulateOutcome(world.sandbox, session, 'success')
  expect(await world.balance(agent)).toBe(97_500n)
})

test.each(['rejected', 'never arrives'] as const)(
  'an order that is %s leaves no open session behind',
  async fault => {
    faults.set('createOrder', [fault])
    const agent = await world.newAgentOfNewOwner()
    await expect(world.open(agent)).rejects.toMatchObject({ code: 'gateway_error', status: 502 })
    expect(await fundingsOf(agent)).toMatchObject([{ status: 'failed' }])
  },
)

test('an order that exists although its creation seemed to fail is closed at the gateway', async () => {
  faults.set('createOrder', ['response lost']).set('getOrder', ['never arrives', 'never arrives'])
  const agent = await world.newAgentOfNewOwner()
  await expect(world.open(agent)).rejects.toMatchObject({ code: 'gateway_error' })
  const [funding] = await fundingsOf(agent)
  expect(await gatewayStatus(funding?.id ?? '')).toBe('active')
  world.advance(61)
  await world.jobs.runDue()
  expect(await gatewayStatus(funding?.id ?? '')).toBe('closed')
})

test('after a crash between the order and its record the next check records the order', async () => {
  faults.set('createOrder', ['crashes'])
  const agent = await world.newAgentOfNewOwner()
  await expect(world.open(agent)).rejects.toThrow('crashes')
  world.advance(31)
  await world.jobs.runDue()
  expect(await fundingsOf(agent)).toMatchObject([
    { status: 'pending', order: expect.stringMatching(/^sandbox_/) },
  ])
  world.advance(30 * 60)
  await world.jobs.runDue()
  const [funding] = await fundingsOf(agent)
  expect(funding?.status).toBe('failed')
  expect(await gatewayStatus(funding?.id ?? '')).toBe('closed')
})

test('a webhook is refused while the gateway gives no response, and is processed when it is sent again', async () => {
  const agent = await world.newAgentOfNewOwner()
  const { funding } = await world.open(agent)
  const payment = await world.gateway.simulation.pay(orderIdOf(funding), { method: 'upi' })
  world.statuses.length = 0
  faults.set('getOrder', ['never arrives'])
  await world.gateway.simulation.notify('PAYMENT_SUCCESS_WEBHOOK', payment)
  expect(await world.balance(agent)).toBe(0n)
  await world.gateway.simulation.notify('PAYMENT_SUCCESS_WEBHOOK', payment)
  expect(world.statuses).toEqual([503, 200])
  expect(await world.balance(agent)).toBe(97_500n)
})

test('a webhook that was processed does not query the gateway again', async () => {
  const { funding } = await world.open(await world.newAgentOfNewOwner())
  const payment = await world.gateway.simulation.pay(orderIdOf(funding), { method: 'upi' })
  await world.gateway.simulation.notify('PAYMENT_SUCCESS_WEBHOOK', payment)
  world.statuses.length = 0
  faults.set('getOrder', ['never arrives'])
  await world.gateway.simulation.notify('PAYMENT_SUCCESS_WEBHOOK', payment)
  expect(world.statuses).toEqual([200])
  expect(faults.get('getOrder')).toHaveLength(1)
})

test('a gateway that is down at the expiry does not cost the payee what was paid in time', async () => {
  const agent = await world.newAgentOfNewOwner()
  const { funding } = await world.open(agent)
  await world.gateway.simulation.pay(orderIdOf(funding), { method: 'upi' })
  world.advance(30 * 60 + 1)
  faults.set('getOrder', ['never arrives'])
  const unasked = await checkFunding(world.funding, funding)
  expect(unasked).toMatchObject({ reported: 'no_response', funding: { status: 'pending' } })
  world.advance(46)
  await world.jobs.runDue()
  expect(await world.balance(agent)).toBe(97_500n)
})

// A refund that is sent again instead of queried would meet the second fault.
test.each([
  ['its response is lost', ['response lost', 'rejected']],
  ['it never arrives', ['never arrives']],
  ['the process crashes after it', ['crashes', 'rejected']],
] as const)('a refund is made once when %s', async (_name, refundFaults) => {
  const { session, funding } = await world.open(await world.newAgentOfNewOwner())
  faults.set('refund', [...refundFaults])
  await simulateOutcome(world.sandbox, session, 'late')
  expect(await world.refundsOf(funding)).toMatchObject([{ status: 'due' }])
  world.advance(61)
  while ((await gatewayRefunds(world.funding).run(world.clock.now())) > 0);
  expect(await world.refundsOf(funding)).toMatchObject([{ status: 'done' }])
  const sent = await world.db.database.query(`select refund_id from sandbox_refunds where order_id = $1`, [
    orderIdOf(funding),
  ])
  expect(sent).toHaveLength(1)
})

test('a refund that the gateway refuses is left to an operator and not retried', async () => {
  const { session, funding } = await world.open(await world.newAgentOfNewOwner())
  faults.set('refund', ['rejected'])
  await simulateOutcome(world.sandbox, session, 'late')
  expect(await world.refundsOf(funding)).toMatchObject([{ status: 'failed' }])
})

test('money for an order that was never opened here is refunded; another system’s order is left alone', async () => {
  const now = world.clock.now()
  const ours = formatId('fund', newUuid(now))
  for (const orderId of [ours, 'shop-17']) {
    await world.gateway.createOrder({
      orderId,
      amountPaise: paise(5_000n),
      currency: 'INR',
      customer: { id: 'x', phone: '9876543210' },
      note: '',
      expiresAt: new Date(now.getTime() + 60_000),
    })
    const payment = await world.gateway.simulation.pay(orderId, { method: 'upi' })
    await world.gateway.simulation.notify('PAYMENT_SUCCESS_WEBHOOK', payment)
  }
  const owed = await world.db.database.query(
    `select order_id, reason from gateway_refunds where order_id = any($1::text[])`,
    [[ours, 'shop-17']],
  )
  expect(owed).toEqual([{ order_id: ours, reason: 'unknown_order' }])
})

test('unknown, unreadable and repeated webhooks are accepted and change nothing', async () => {
  const { funding } = await world.open(await world.newAgentOfNewOwner())
  const webhooks = [
    '{"type":"SETTLEMENT_SUCCESS","data":{}}',
    '{"type":"PAYMENT_SUCCESS_WEBHOOK"}',
    '[]',
    'not json',
    '',
  ]
  for (const body of [...webhooks, ...webhooks]) {
    const headers = signed(body)
    await handleGatewayWebhook(intake(), 'sandbox', Buffer.from(body), headers)
  }
  expect((await checkFunding(world.funding, funding))?.funding.status).toBe('pending')
  await expect(handleGatewayWebhook(intake(), 'elsewhere', Buffer.from(''), {})).rejects.toMatchObject({
    code: 'not_found',
  })
})

function intake() {
  return { ...world.funding, handlers: fundingWebhooks(world.funding) }
}

function signed(body: string): Record<string, string> {
  const signature = signTimestamped(body, '1', 'test-secret')
  return { 'x-webhook-timestamp': '1', 'x-webhook-signature': signature }
}

test('a magic UPI id approves or declines without further calls', async () => {
  for (const [upiId, expected] of [
    ['testsuccess@gocash', 97_500n],
    ['TestFailure@gocash', 0n],
    ['asha@examplebank', 0n],
  ] as const) {
    const agent = await world.newAgentOfNewOwner()
    const { funding } = await world.open(agent)
    expect(await collectUpi(world.funding, funding, upiId)).toBe('requested')
    world.advance(3)
    await world.jobs.runDue()
    expect(await world.balance(agent)).toBe(expected)
  }
})
