import { routes } from '@batua/contract'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Api, Headers } from './src/api.ts'
import type { Agent, Network, Owner } from './src/network.ts'
import { type Stage, sharedStage } from './src/stage.ts'

const CONTEXT = {
  purpose: 'Translate the tender of the Pune office',
  url: 'https://translator.example/orders/2041',
  items: [{ name: 'Page', quantity: 12, amount: 33.5 }, { name: 'Certified copy' }],
  client: 'Research desk',
}

let stage: Stage
let api: Api
let network: Network
let owner: Owner
let session: Headers
let payer: Agent
let payee: Agent

beforeAll(async () => {
  stage = await sharedStage()
  ;({ api, network } = stage)
})
afterAll(() => stage.close())

beforeEach(async () => {
  const platform = await network.platform()
  owner = await network.owner(platform)
  session = await network.login(owner)
  payer = await network.fundedAgent(owner, { name: 'Shopper', require_human_approval_above: 100 })
  payee = await network.agent(await network.owner(await network.platform()), { name: 'Seller' })
})

const paymentOf = (id: string | null) =>
  api.ok(routes.getPayment, {
    params: { agent_id: payer.id, payment_id: id ?? '' },
    headers: payer.headers,
  })

const trailOf = async (agent: Agent, headers: Headers) =>
  (await api.ok(routes.listAuditEntries, { params: { agent_id: agent.id }, headers })).entries

test('the context of a payment is in its record and in the payer’s trail', async () => {
  const { payment_id } = await network.pay(payer, payee, 50, { context: CONTEXT })
  expect((await paymentOf(payment_id)).context).toEqual(CONTEXT)
  const { payments } = await api.ok(routes.listPayments, {
    params: { agent_id: payer.id },
    headers: owner.platform.headers,
  })
  expect(payments.map(({ context }) => context)).toEqual([CONTEXT])
  const recorded = (await trailOf(payer, payer.headers)).filter(({ action }) => action === 'context.recorded')
  expect(recorded).toMatchObject([
    { target: payment_id?.replace('pay_', 'txn_'), data: { context: CONTEXT }, actor: { id: payer.id } },
  ])
})

test('a payment without a context has none, and an empty one is none', async () => {
  for (const extras of [{}, { context: {} }]) {
    const { payment_id } = await network.pay(payer, payee, 10, extras)
    expect((await paymentOf(payment_id)).context).toBeNull()
  }
  expect((await trailOf(payer, payer.headers)).map(({ action }) => action)).not.toContain('context.recorded')
})

test('the owner reads the context before approving, and it stays with the payment', async () => {
  const { approval_id } = await network.pay(payer, payee, 200, { context: CONTEXT, idempotency_key: 'k' })
  const { approvals } = await api.ok(routes.listApprovals, { headers: session })
  expect(approvals.map(({ context }) => context)).toEqual([CONTEXT])
  const waiting = await api.ok(routes.listPayments, {
    params: { agent_id: payer.id },
    headers: payer.headers,
  })
  expect(waiting.payments.map(({ context }) => context)).toEqual([CONTEXT])
  const approved = await api.ok(routes.approve, {
    params: { approval_id: approval_id ?? '' },
    headers: session,
  })
  expect(approved.context).toEqual(CONTEXT)
  expect((await paymentOf(approved.payment_id)).context).toEqual(CONTEXT)
  const entries = await trailOf(payer, payer.headers)
  for (const action of ['approval.requested', 'approval.approved', 'context.recorded']) {
    expect(entries.find(entry => entry.action === action)?.data).toMatchObject({ context: CONTEXT })
  }
})

test('the context of a hold is in its approval and in the payer’s trail', async () => {
  const hold = (amount: number) =>
    api.send(routes.holdEscrow, {
      params: { agent_id: payer.id },
      headers: owner.platform.headers,
      body: { amount, to_agent_id: payee.id, context: CONTEXT },
    })
  expect((await hold(50)).status).toBe(201)
  expect((await hold(200)).body).toMatchObject({ status: 'pending_approval' })
  const { approvals } = await api.ok(routes.listApprovals, { headers: session })
  expect(approvals.map(({ kind, context }) => [kind, context])).toEqual([['escrow_hold', CONTEXT]])
  const [approval] = approvals
  await api.ok(routes.approve, { params: { approval_id: approval?.approval_id ?? '' }, headers: session })
  const recorded = (await trailOf(payer, payer.headers)).filter(({ action }) => action === 'context.recorded')
  expect(recorded.map(({ data }) => data)).toEqual([{ context: CONTEXT }, { context: CONTEXT }])
})

test('the payee never sees the context', async () => {
  const { payment_id, receipt_id } = await network.pay(payer, payee, 50, { context: CONTEXT })
  const held = await api.ok(routes.holdEscrow, {
    params: { agent_id: payer.id },
    headers: owner.platform.headers,
    body: { amount: 50, to_agent_id: payee.id, context: CONTEXT },
  })
  const { headers } = payee
  const seen = [
    await trailOf(payee, headers),
    await api.ok(routes.listTransactions, { params: { agent_id: payee.id }, headers }),
    await api.ok(routes.getReceipt, { params: { receipt_id: receipt_id ?? '' }, headers }),
    await api.ok(routes.verifyTransaction, { params: { txn_id: payment_id ?? '' }, headers }),
    'escrow_id' in held && held.escrow_id !== null
      ? await api.ok(routes.getEscrow, { params: { escrow_id: held.escrow_id }, headers })
      : null,
    (
      await api.send(routes.getPayment, {
        params: { agent_id: payee.id, payment_id: payment_id ?? '' },
        headers,
      })
    ).body,
  ]
  const text = JSON.stringify(seen)
  for (const word of ['tender', 'translator.example', 'Certified copy', 'Research desk']) {
    expect(text).not.toContain(word)
  }
})

test('a repeated key with another context is the same request: a context is no term of a payment', async () => {
  await network.pay(payer, payee, 50, { context: CONTEXT, idempotency_key: 'once' })
  const { status, body } = await api.send(routes.pay, {
    params: { agent_id: payer.id },
    headers: payer.headers,
    body: { to: payee.id, amount: 50, idempotency_key: 'once', context: { purpose: 'another' } },
  })
  expect([status, body]).toMatchObject([409, { error: { details: { same_request: true } } }])
})

test.each([
  ['purpose', { purpose: 'x'.repeat(501) }],
  ['url', { url: 'javascript:alert(1)' }],
  ['url', { url: 'https://bank.example@thief.example/' }],
  ['url', { url: 'ftp://files.example/' }],
  ['items', { items: Array.from({ length: 21 }, () => ({ name: 'Page' })) }],
  ['items.0.name', { items: [{ name: 'x'.repeat(101) }] }],
  ['items.0.quantity', { items: [{ name: 'Page', quantity: 0 }] }],
  ['items.0.amount', { items: [{ name: 'Page', amount: 0.001 }] }],
  ['client', { client: 'x'.repeat(101) }],
  ['client', { client: 'a\u202eb' }],
  ['surprise', { surprise: 'x' }],
])('a context with a wrong %s is refused by the name of the field: %j', async (field, context) => {
  const { status, body } = await api.send(routes.pay, {
    params: { agent_id: payer.id },
    headers: payer.headers,
    body: { to: payee.id, amount: 50, context },
  })
  expect([status, body]).toMatchObject([400, { error: { field: `context.${field}` } }])
})
