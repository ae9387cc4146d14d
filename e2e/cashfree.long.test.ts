import { type ErrorEnvelope, routes } from '@batua/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { request } from './src/api.ts'
import { type FakeGateway, type SignedWebhook, startFakeGateway } from './src/fake-gateway.ts'
import { ledgerFaults } from './src/ledger-faults.ts'
import { type Agent, newBankAccount, type Platform } from './src/network.ts'
import { openSandboxScenarios, type SandboxScenarios, type Session } from './src/sandbox-scenarios.ts'
import { openStage, type Stage } from './src/stage.ts'

// The service with a real gateway's adapters in its own process, and a fake of that gateway.

let cashfree: FakeGateway
let stage: Stage
let scenarios: SandboxScenarios
let platform: Platform

beforeAll(async () => {
  cashfree = await startFakeGateway()
  stage = await openStage({ ...cashfree.settings, SETTLEMENT: 'off', LOG_LEVEL: 'debug' })
  scenarios = openSandboxScenarios(stage.api)
  platform = await stage.network.platform()
})
afterAll(async () => {
  expect(await ledgerFaults(stage.database.query)).toEqual([])
  expect((await cashfree.state()).violations).toEqual([])
  await stage.close()
  await cashfree.close()
})

async function verifiedAgent(account = newBankAccount()): Promise<Agent> {
  const owner = await stage.network.owner(platform)
  expect((await scenarios.kyc(owner, account)).kyc_status).toBe('verified')
  return stage.network.agent(owner)
}

/** Posts a webhook of payments or of payouts; returns the status. */
async function deliver(gateway: string, webhook: SignedWebhook): Promise<number> {
  const call = { headers: webhook.headers, body: webhook.body }
  return (await request(stage.api.address, 'POST', `/v1/gateway/${gateway}/webhooks`, call)).status
}

/** The payer pays at the gateway, which sends a webhook. */
async function paidWebhook({ order_id }: Session): Promise<SignedWebhook> {
  const cf_payment_id = await cashfree.pay(order_id)
  const data = { order: { order_id }, payment: { cf_payment_id, payment_status: 'SUCCESS' } }
  return cashfree.webhook('payments', 'PAYMENT_SUCCESS_WEBHOOK', data)
}

const available = async (agent: Agent) => (await stage.network.balance(agent)).available

async function fundedAgent(): Promise<Agent> {
  const agent = await verifiedAgent()
  expect(await deliver('cashfree', await paidWebhook(await scenarios.open(agent, 1000)))).toBe(200)
  expect(await available(agent)).toBe(975)
  return agent
}

test.each([
  ['account_invalid', { account_status: 'INVALID', account_status_code: 'INVALID_ACCOUNT_FAIL' }],
  [
    'name_mismatch',
    {
      account_status: 'VALID',
      account_status_code: 'ACCOUNT_IS_VALID',
      name_at_bank: 'ANOTHER NAME',
      name_match_score: '12.00',
      name_match_result: 'NO_MATCH',
    },
  ],
])('the bank’s response about an account decides its verification: %s', async (reason, said) => {
  const account = newBankAccount()
  await cashfree.bankResponds(account, said)
  const owner = await stage.network.owner(platform)
  expect(await scenarios.kyc(owner, account)).toMatchObject({ kyc_status: 'failed', reason })
})

test('a payment is credited by its webhook, once, however often the webhook is repeated', async () => {
  const agent = await verifiedAgent()
  const session = await scenarios.open(agent, 1000)
  const webhook = await paidWebhook(session)
  expect(await deliver('cashfree', webhook)).toBe(200)
  expect(await scenarios.funding(agent, session)).toMatchObject({ status: 'completed' })
  expect(await deliver('cashfree', webhook)).toBe(200)
  expect(await available(agent)).toBe(975)
})

test('a payment without a webhook is found by a status query within a minute', async () => {
  const agent = await verifiedAgent()
  const session = await scenarios.open(agent, 1000)
  await request(stage.api.address, 'GET', new URL(session.checkout_url).pathname)
  await cashfree.pay(session.order_id)
  expect(await scenarios.funding(agent, session)).toMatchObject({ status: 'pending' })
  await scenarios.advance(60)
  expect(await scenarios.funding(agent, session)).toMatchObject({ status: 'completed' })
  expect(await available(agent)).toBe(975)
})

test('a session that is paid twice is credited once, and the second payment is refunded', async () => {
  const agent = await verifiedAgent()
  const session = await scenarios.open(agent, 1000)
  for (const webhook of [await paidWebhook(session), await paidWebhook(session)]) {
    expect(await deliver('cashfree', webhook)).toBe(200)
  }
  await scenarios.advance(60)
  expect(await available(agent)).toBe(975)
  const { refunds } = await cashfree.state()
  expect(refunds.filter(({ order_id }) => order_id === session.order_id)).toMatchObject([
    { refund_status: 'SUCCESS', refund_amount: 1000 },
  ])
})

test('a webhook with a wrong signature gets 401 and credits nothing', async () => {
  const agent = await verifiedAgent()
  const session = await scenarios.open(agent, 1000)
  const webhook = await paidWebhook(session)
  const forged = { ...webhook, body: webhook.body.replace('SUCCESS', 'SUCCESS ') }
  const call = { headers: forged.headers, body: forged.body }
  const reply = await request(stage.api.address, 'POST', '/v1/gateway/cashfree/webhooks', call)
  expect(reply.status).toBe(401)
  expect((reply.body as ErrorEnvelope).error.code).toBe('authentication_error')
  expect(await available(agent)).toBe(0)
})

/** A withdrawal that the gateway has accepted, and its id there. */
async function withdrawn(agent: Agent) {
  const line = await scenarios.withdraw(agent, 400)
  await scenarios.advance(0)
  const transferId = line.replace(/^txn_/, 'po_')
  const { transfers } = await cashfree.state()
  expect(transfers.filter(transfer => transfer.transfer_id === transferId)).toMatchObject([
    { transfer_amount: 400 },
  ])
  return { line, transferId }
}

async function sendWebhook(transferId: string, status: string, utr?: string): Promise<void> {
  await cashfree.setTransfer(transferId, status, utr)
  const webhook = await cashfree.webhook('payouts', `TRANSFER_${status}`, { transfer_id: transferId, status })
  expect(await deliver('cashfree-payouts', webhook)).toBe(200)
}

test('a withdrawal completes with the bank’s reference, and is credited again if the bank returns it', async () => {
  const agent = await fundedAgent()
  const { line, transferId } = await withdrawn(agent)
  expect(await scenarios.line(agent, line)).toMatchObject({ status: 'pending' })
  await sendWebhook(transferId, 'SUCCESS', 'UTR426000000001')
  expect(await scenarios.line(agent, line)).toMatchObject({ status: 'completed', utr: 'UTR426000000001' })
  expect(await available(agent)).toBe(575)
  await sendWebhook(transferId, 'REVERSED', 'UTR426000000001')
  expect(await scenarios.line(agent, line)).toMatchObject({ status: 'reversed' })
  expect(await available(agent)).toBe(975)
})

test('a withdrawal that the bank rejects is credited again, even if only a status query shows the rejection', async () => {
  const agent = await fundedAgent()
  const { line, transferId } = await withdrawn(agent)
  await cashfree.setTransfer(transferId, 'FAILED')
  await scenarios.advance(60)
  expect(await scenarios.line(agent, line)).toMatchObject({ status: 'failed' })
  expect(await available(agent)).toBe(975)
})

test('payers cannot be simulated with a real gateway', async () => {
  const params = { payment_session_id: (await scenarios.open(await verifiedAgent(), 10)).payment_session_id }
  await stage.api.refused(routes.completeSandboxPayment, 404, 'not_found', {
    params,
    body: { outcome: 'success' },
  })
})

test('the log has no secret and no personal data, even at the most detailed level', () => {
  const { CASHFREE_CLIENT_SECRET = '', CASHFREE_PAYOUT_CLIENT_SECRET = '' } = cashfree.settings
  const secrets = [CASHFREE_CLIENT_SECRET, CASHFREE_PAYOUT_CLIENT_SECRET, ...stage.network.confidential]
  expect(secrets.every(secret => secret.length > 8)).toBe(true)
  const log = stage.service.output()
  expect(log).toContain('"level":"info"')
  expect(secrets.filter(secret => log.includes(secret))).toEqual([])
})
