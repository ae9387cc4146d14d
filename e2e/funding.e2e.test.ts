import { type BodyOf, type ResponseOf, routes } from '@batua/contract'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Api, request } from './src/api.ts'
import type { ServiceDatabase } from './src/database.ts'
import { eventsAbout } from './src/event-faults.ts'
import { ledgerFaults } from './src/ledger-faults.ts'
import type { Agent, Network, Owner, Platform } from './src/network.ts'
import type { Service } from './src/service.ts'
import { type Stage, sharedStage } from './src/stage.ts'

type Outcome = BodyOf<typeof routes.completeSandboxPayment>['outcome']
type Method = BodyOf<typeof routes.completeSandboxPayment>['method']
type Session = ResponseOf<typeof routes.createFunding>

let stage: Stage
let database: ServiceDatabase
let service: Service
let api: Api
let network: Network
let platform: Platform
let owner: Owner

beforeAll(async () => {
  stage = await sharedStage()
  ;({ database, service, api, network } = stage)
  platform = await network.platform()
  owner = await network.owner(platform)
})
afterEach(async () => {
  expect(await ledgerFaults(database.query)).toEqual([])
})
afterAll(() => stage.close())

function open(agent: Agent, body: BodyOf<typeof routes.createFunding>): Promise<Session> {
  return api.ok(routes.createFunding, { params: { agent_id: agent.id }, headers: agent.headers, body })
}

async function finish(session: Session, outcome: Outcome, method?: NonNullable<Method>): Promise<string> {
  const response = await api.ok(routes.completeSandboxPayment, {
    params: { payment_session_id: session.payment_session_id },
    body: method === undefined ? { outcome } : { outcome, method },
  })
  expect(response.funding_id).toBe(session.funding_id)
  return response.status
}

function fundingOf(agent: Agent, session: Session) {
  const params = { agent_id: agent.id, funding_id: session.funding_id }
  return api.ok(routes.getFunding, { params, headers: agent.headers })
}

async function available(agent: Agent): Promise<number> {
  return (await network.balance(agent)).available
}

async function advance(seconds: number): Promise<void> {
  await api.ok(routes.advanceClock, { body: { advance_seconds: seconds } })
}

describe('a payment session', () => {
  test('accepts 1 INR and no less, and refuses invalid amounts', async () => {
    const agent = await network.agent(owner)
    await open(agent, { amount: 1 })
    for (const amount of [0.99, 0.01, 10_000_000_000.01]) {
      const call = { params: { agent_id: agent.id }, headers: agent.headers, body: { amount } }
      expect((await api.refused(routes.createFunding, 400, 'validation_error', call)).field).toBe('amount')
    }
  })

  test.each(['upi', 'card', 'netbanking', 'link'] as const)(
    'by %s has a fee of 2.5 %%, rounded half up',
    async method => {
      const agent = await network.agent(owner)
      // 2.5 % of 100.20 are 2.505 INR.
      const session = await open(agent, { amount: 100.2, method })
      expect(session).toMatchObject({ method, status: 'pending' })
      expect(await finish(session, 'success')).toBe('completed')
      const paid_method = method === 'link' ? 'upi' : method
      expect(await fundingOf(agent, session)).toMatchObject({ paid_method, fee: 2.51, net_amount: 97.69 })
      expect(await available(agent)).toBe(97.69)
    },
  )

  test('expires after thirty minutes without a payment', async () => {
    const agent = await network.agent(owner)
    const session = await open(agent, { amount: 100 })
    const { created_at, expires_at } = await fundingOf(agent, session)
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(30 * 60_000)
    await advance(30 * 60 - 5)
    expect((await fundingOf(agent, session)).status).toBe('pending')
    await advance(10)
    expect(await fundingOf(agent, session)).toMatchObject({
      status: 'failed',
      completed_at: null,
      net_amount: null,
    })
    const { transactions } = await api.ok(routes.listTransactions, {
      params: { agent_id: agent.id },
      headers: agent.headers,
    })
    expect(transactions).toMatchObject([{ type: 'fund', status: 'failed', amount: 100 }])
  })

  test('is refused for a deactivated agent', async () => {
    const agent = await network.agent(owner)
    await api.ok(routes.deactivateAgent, { params: { agent_id: agent.id }, headers: platform.headers })
    const call = { params: { agent_id: agent.id }, headers: platform.headers, body: { amount: 10 } }
    const { message } = await api.refused(routes.createFunding, 403, 'policy_denied', call)
    expect(message).toBe('Agent is deactivated')
  })

  test('that was never opened has no outcome to simulate', async () => {
    const params = { payment_session_id: 'ps_01kb7q3f8meg5tz4x9wc2n6a01' }
    await api.refused(routes.completeSandboxPayment, 404, 'not_found', {
      params,
      body: { outcome: 'success' },
    })
  })
})

describe('the outcomes on the checkout page and at the gateway', () => {
  // The net of 100 INR is 97.5; it is credited once or not at all.
  const STORIES: readonly {
    outcomes: readonly Outcome[]
    status: string
    credited: number
    /** The number of refunded payments. */
    refunds?: number
    transaction?: string
  }[] = [
    { outcomes: ['success'], status: 'completed', credited: 97.5 },
    { outcomes: ['success', 'duplicate'], status: 'completed', credited: 97.5 },
    { outcomes: ['duplicate'], status: 'completed', credited: 97.5 },
    { outcomes: ['out_of_order'], status: 'completed', credited: 97.5 },
    { outcomes: ['double_payment'], status: 'completed', credited: 97.5, refunds: 1 },
    { outcomes: ['forged'], status: 'pending', credited: 0 },
    { outcomes: ['forged', 'success', 'forged'], status: 'completed', credited: 97.5 },
    { outcomes: ['pending'], status: 'pending', credited: 0 },
    { outcomes: ['drop'], status: 'pending', credited: 0 },
    { outcomes: ['drop', 'success'], status: 'completed', credited: 97.5 },
    { outcomes: ['wrong_amount'], status: 'pending', credited: 0, refunds: 1 },
    { outcomes: ['wrong_currency'], status: 'pending', credited: 0, refunds: 1 },
    { outcomes: ['failure'], status: 'failed', credited: 0 },
    { outcomes: ['failure', 'success'], status: 'failed', credited: 0, refunds: 1 },
    { outcomes: ['expire'], status: 'failed', credited: 0 },
    { outcomes: ['late'], status: 'failed', credited: 0, refunds: 1 },
    { outcomes: ['success', 'chargeback'], status: 'completed', credited: 0, transaction: 'reversed' },
  ]

  test.each(STORIES)('after $outcomes the funding is $status and $credited INR are credited', async story => {
    const agent = await network.agent(owner)
    const session = await open(agent, { amount: 100 })
    for (const outcome of story.outcomes) await finish(session, outcome)
    const funding = await fundingOf(agent, session)
    expect(funding.status).toBe(story.status)
    expect(await available(agent)).toBe(story.credited)
    const refundsOf = `select 1 from sandbox_refunds where order_id = $1`
    // A refund is sent after the response.
    await expect
      .poll(() => database.query(refundsOf, [session.order_id]), { timeout: 10_000 })
      .toHaveLength(story.refunds ?? 0)
    const { transactions, pagination } = await api.ok(routes.listTransactions, {
      params: { agent_id: agent.id },
      headers: agent.headers,
    })
    expect(pagination.total).toBe(1)
    expect(transactions).toMatchObject([
      { type: 'fund', status: story.transaction ?? story.status, funding_id: session.funding_id },
    ])
  })

  test('a payment without a webhook is found within a minute', async () => {
    const agent = await network.agent(owner)
    const session = await open(agent, { amount: 100 })
    await finish(session, 'unnotified')
    await advance(60)
    expect((await fundingOf(agent, session)).status).toBe('completed')
    expect(await available(agent)).toBe(97.5)
  })

  test('a chargeback after the money was spent makes the balance negative, and the agent can send nothing', async () => {
    const agent = await network.agent(owner)
    const other = await network.agent(owner)
    const session = await open(agent, { amount: 100 })
    await finish(session, 'success')
    await network.pay(agent, other, 50)
    await finish(session, 'chargeback')
    expect(await available(agent)).toBe(-51)
    const call = {
      params: { agent_id: agent.id },
      headers: agent.headers,
      body: { to: other.id, amount: 0.01 },
    }
    await api.refused(routes.pay, 402, 'insufficient_balance', call)
    const ids = { agent_id: agent.id, funding_id: session.funding_id }
    const reversal = { ...ids, amount: 100, net_amount: 97.5, balance: -51 }
    expect(await eventsAbout(database, agent.id)).toContainEqual({
      name: 'agent.funding.reversed',
      data: reversal,
    })
    await network.fund(agent, 100)
    expect(await available(agent)).toBe(46.5)
    await network.pay(agent, other, 1)
  })

  test('a session that has ended stays ended', async () => {
    const agent = await network.agent(owner)
    const session = await open(agent, { amount: 100 })
    await finish(session, 'success')
    const params = { payment_session_id: session.payment_session_id }
    for (const outcome of ['failure', 'expire', 'success'] as const) {
      await api.refused(routes.completeSandboxPayment, 409, 'conflict', { params, body: { outcome } })
    }
    expect((await fundingOf(agent, session)).status).toBe('completed')
  })

  test('twenty concurrent payments of one session are credited once', async () => {
    const agent = await network.agent(owner)
    const session = await open(agent, { amount: 100 })
    const params = { payment_session_id: session.payment_session_id }
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        api.send(routes.completeSandboxPayment, {
          params,
          body: { outcome: index % 2 ? 'success' : 'duplicate' },
        }),
      ),
    )
    expect(await available(agent)).toBe(97.5)
  })
})

describe('UPI collect', () => {
  test('masks the UPI id, shows the intent as a QR code too, and is credited like any other funding', async () => {
    const agent = await network.agent(owner)
    const upi_id = 'asharao.personal@examplebank'
    const asked = await api.ok(routes.createUpiCollect, {
      params: { agent_id: agent.id },
      headers: agent.headers,
      body: { amount: 150, upi_id },
    })
    expect(JSON.stringify(asked)).not.toContain('asharao.personal')
    expect(asked.upi_id).toMatch(/^as\*+@examplebank$/)
    const intent = new URL(asked.upi_intent)
    expect(intent.protocol).toBe('upi:')
    expect(Object.fromEntries(intent.searchParams)).toMatchObject({ am: '150.00', cu: 'INR' })
    expect(asked.qr).toBe(asked.upi_intent)
    expect(asked.order_id).toBe(asked.funding_id)
    await api.ok(routes.completeSandboxPayment, {
      params: { payment_session_id: asked.payment_session_id },
      body: { outcome: 'success' },
    })
    expect(await available(agent)).toBe(146.25)
  })
})

describe('a webhook that is not from the gateway', () => {
  test('is refused, and nothing is credited', async () => {
    const agent = await network.agent(owner)
    const session = await open(agent, { amount: 100 })
    const payment = {
      cf_payment_id: '1',
      payment_status: 'SUCCESS',
      payment_amount: 100,
      payment_currency: 'INR',
    }
    const order = { order_id: session.order_id, order_amount: 100, order_currency: 'INR' }
    const body = { type: 'PAYMENT_SUCCESS_WEBHOOK', data: { order, payment } }
    const timestamp = String(Date.now())
    const forgeries = [
      {},
      { 'x-webhook-signature': 'x' },
      { 'x-webhook-timestamp': timestamp, 'x-webhook-signature': '' },
      { 'x-webhook-timestamp': timestamp, 'x-webhook-signature': 'A'.repeat(44) },
    ]
    for (const headers of forgeries) {
      const call = { params: { gateway: 'sandbox' }, body, headers }
      await api.refused(routes.receiveGatewayWebhook, 401, 'authentication_error', call)
    }
    expect((await fundingOf(agent, session)).status).toBe('pending')
    expect(await available(agent)).toBe(0)
  })

  test('for an unknown gateway gets 404', async () => {
    for (const gateway of ['cashfree', 'nobody', '__proto__', 'constructor']) {
      const reply = await api.send(routes.receiveGatewayWebhook, { params: { gateway }, body: {} })
      expect([gateway, [400, 404].includes(reply.status)]).toEqual([gateway, true])
    }
  })
})

describe('the checkout page', () => {
  test('can be paid by hand: a declined card first, then one that works', async () => {
    const agent = await network.agent(owner)
    const session = await open(agent, { amount: 100, method: 'card' })
    await submit(session.checkout_url, { outcome: 'decline', method: 'card' })
    expect((await fundingOf(agent, session)).status).toBe('pending')
    await submit(session.checkout_url, { outcome: 'success', method: 'card' })
    expect(await fundingOf(agent, session)).toMatchObject({ status: 'completed', paid_method: 'card' })
    expect(await available(agent)).toBe(97.5)
    await submit(session.checkout_url, { outcome: 'success', method: 'card' }).catch(() => undefined)
    expect(await available(agent)).toBe(97.5)
  })

  test('can be cancelled by hand, for good', async () => {
    const agent = await network.agent(owner)
    const session = await open(agent, { amount: 100 })
    const page = await (await fetch(session.checkout_url)).text()
    const action = /<form[^>]*action="([^"]*cancel)"/.exec(page)?.[1] ?? ''
    await fetch(new URL(action, session.checkout_url), { method: 'POST' })
    expect((await fundingOf(agent, session)).status).toBe('failed')
    await finish(session, 'success')
    expect(await available(agent)).toBe(0)
  })

  test('shows an error for an unknown, ended or malformed session', async () => {
    const agent = await network.agent(owner)
    const session = await open(agent, { amount: 100 })
    await finish(session, 'failure')
    const over = await request(service.address, 'GET', `/checkout/${session.payment_session_id}`)
    expect(over.headers.get('content-type')).toContain('text/html')
    for (const path of [
      'ps_01kb7q3f8meg5tz4x9wc2n6a01',
      'none',
      '%3Cscript%3Ealert(1)%3C%2Fscript%3E',
      "'%20or%201=1",
    ]) {
      const reply = await request(service.address, 'GET', `/checkout/${path}`)
      expect([path, reply.status]).toEqual([path, 404])
      expect(reply.text).not.toContain('<script>alert')
    }
  })

  test('loads nothing from other sites and shows the payee', async () => {
    const agent = await network.agent(owner, { name: '<b>Bold & "quoted"</b>' })
    const session = await open(agent, { amount: 1234.5 })
    const reply = await request(service.address, 'GET', `/checkout/${session.payment_session_id}`)
    expect(reply.status).toBe(200)
    expect(reply.text).toContain('1,234.50')
    expect(reply.text).not.toContain('<b>Bold')
    expect(reply.text).not.toMatch(/(?:src|href)="https?:\/\//)
    expect(reply.headers.get('content-security-policy')).toMatch(/default-src 'none'/)
    expect(reply.headers.get('referrer-policy')).toBe('no-referrer')
  })
})

/** Submits the form of a sandbox's page, as a browser would. */
async function submit(page: string, fields: Record<string, string>): Promise<void> {
  const address = new URL(page)
  address.searchParams.set('way', fields['method'] ?? '')
  const html = await (await fetch(address)).text()
  const action = /<form[^>]*action="([^"]*simulate)"/.exec(html)?.[1]
  if (action === undefined) throw new Error('there is no such form on the page')
  const response = await fetch(new URL(action, page), { method: 'POST', body: new URLSearchParams(fields) })
  expect(response.status).toBe(200)
}
