import { createHash, createHmac } from 'node:crypto'
import { type ResponseOf, routes } from '@batua/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { request } from './src/api.ts'
import { type FakeGateway, startFakeGateway } from './src/fake-gateway.ts'
import { type Agent, newBankAccount } from './src/network.ts'
import { leaksIn, type Planted, writtenBy } from './src/planted.ts'
import { additionsOf, misshapenBodies, newPayer, type Subject, webhooksAbout } from './src/planted-gateway.ts'
import { openSandboxScenarios, type SandboxScenarios, type Session } from './src/sandbox-scenarios.ts'
import { openStage, type Stage } from './src/stage.ts'

// Additional data of a gateway: cards, UPI ids, phones and e-mails of payers, in valid and invalid webhooks of every
// kind, and in responses of its APIs. None of it may be stored, logged or counted.

const DAY_S = 86_400
/** In every refusal of the fake gateway, because the real one quotes requests. */
const QUOTED = ['9876543210', '026291800001191']

const payer = newPayer()
let cashfree: FakeGateway
let stage: Stage
let scenarios: SandboxScenarios
/** The bodies of all webhooks that were sent. */
const bodies: string[] = []
const statuses = new Map<number, number>()

beforeAll(async () => {
  cashfree = await startFakeGateway()
  stage = await openStage({
    ...cashfree.settings,
    SETTLEMENT: 'off',
    LOG_LEVEL: 'trace',
    TRUST_PROXY: 'loopback',
  })
  scenarios = openSandboxScenarios(stage.api)
  for (const [line, fields] of additionsOf(payer)) await cashfree.responsesHave(line, fields)
}, 60_000)
afterAll(async () => {
  await stage.close()
  await cashfree.close()
})

/** The secret of the webhooks of payments or payouts. */
function secretOf(intake: string): string {
  const name = intake === 'cashfree' ? 'CASHFREE_CLIENT_SECRET' : 'CASHFREE_PAYOUT_CLIENT_SECRET'
  return cashfree.settings[name] ?? ''
}

function signed(intake: string, body: string): Record<string, string> {
  const timestamp = String(Date.now())
  const signature = createHmac('sha256', secretOf(intake))
    .update(timestamp + body)
    .digest('base64')
  return {
    'x-webhook-timestamp': timestamp,
    'x-webhook-signature': signature,
    'x-webhook-version': '2025-01-01',
  }
}

async function deliver(intake: string, body: string, headers: Record<string, string>): Promise<number> {
  bodies.push(body)
  // Invalid webhooks are counted for each address, so they come from many addresses.
  const from = { 'x-forwarded-for': `203.0.113.${bodies.length % 250}` }
  const call = { headers: { 'content-type': 'application/json', ...from, ...headers }, body }
  const { status, text } = await request(stage.api.address, 'POST', `/v1/gateway/${intake}/webhooks`, call)
  expect(leaksIn([{ place: 'an response', text }], plantedValues()), body).toEqual([])
  statuses.set(status, (statuses.get(status) ?? 0) + 1)
  return status
}

/** The same webhook with a valid signature, and with every invalid one. */
async function deliverInEveryWay(intake: string, body: string): Promise<void> {
  const right = signed(intake, body)
  await deliver(intake, body, right)
  for (const wrong of [
    {},
    { ...right, 'x-webhook-signature': Buffer.from(payer.upiId).toString('base64') },
    { ...right, 'x-webhook-timestamp': payer.phone },
    { ...right, 'content-type': 'text/plain', 'x-webhook-signature': '' },
  ]) {
    expect(await deliver(intake, body, wrong), body.slice(0, 80)).toBeGreaterThanOrEqual(400)
  }
  await deliver('nobody', body, right)
}

async function verifiedAgent(): Promise<Agent> {
  const platform = await stage.network.platform()
  const owner = await stage.network.owner(platform)
  const account = newBankAccount()
  const line = 'POST /verification/bank-account/sync'
  await cashfree.nextIsText(line, `{"bank_account": "${payer.bankAccount}", `)
  await scenarios.kyc(owner, account)
  await cashfree.nextIsRefused(line, 409, `account_${payer.bankAccount}_busy`)
  await scenarios.kyc(owner, account)
  expect(await scenarios.kyc(owner, account)).toMatchObject({ kyc_status: 'verified' })
  return stage.network.agent(owner)
}

/** Pays by every method, with and without success, reverses one payment and disputes another. */
async function pay(agent: Agent): Promise<{ session: Session; paymentId: string; refundId: string }> {
  for (const [line, code] of [
    ['POST /pg/orders', `order_of_${payer.phone}_refused`],
    ['GET /pg/orders', `order_of_${payer.upiId}_unknown`],
  ] as const) {
    await cashfree.nextIsRefused(line, 400, code)
    await stage.api.send(routes.createFunding, {
      params: { agent_id: agent.id },
      headers: agent.headers,
      body: { amount: 1000 },
    })
  }
  await cashfree.nextIsText(
    'GET /pg/orders',
    `{"customer_phone": "${payer.phone}", "upi_id": "${payer.upiId}`,
  )
  const session = await scenarios.open(agent, 1000)
  const orderId = session.order_id
  await cashfree.pay(orderId, { status: 'FAILED', group: 'credit_card' })
  await cashfree.pay(orderId, { status: 'USER_DROPPED', group: 'net_banking' })
  const paymentId = await cashfree.pay(orderId, { group: 'upi' })
  await cashfree.pay(orderId, { group: 'credit_card' })
  await scenarios.advance(60)
  const webhook = JSON.stringify({ type: 'PAYMENT_SUCCESS_WEBHOOK', data: { order: { order_id: orderId } } })
  await deliver('cashfree', webhook, signed('cashfree', webhook))
  await scenarios.advance(60)
  expect(await scenarios.funding(agent, session)).toMatchObject({ status: 'completed' })
  const refund = (await cashfree.state()).refunds.find(({ order_id }) => order_id === orderId)
  expect(refund).toBeDefined()
  return { session, paymentId, refundId: Reflect.get(refund ?? {}, 'refund_id') as string }
}

/** Withdraws through a provider whose responses are first unreadable, then refusals, then unknown statuses. */
async function withdraw(agent: Agent): Promise<string> {
  await cashfree.nextIsText('POST /payout/beneficiary', `{"bank_account_number": "${payer.bankAccount}"`)
  await cashfree.nextIsRefused('POST /payout/transfers', 502, `bank_${payer.bankAccount}_down`)
  const ids: string[] = []
  for (const [status, code] of [
    ['FAILED', `BENEFICIARY_${payer.bankAccount}_INVALID`],
    ['REJECTED', payer.upiId],
    ['SUCCESS', undefined],
  ] as const) {
    const line = await scenarios.withdraw(agent, 100)
    const transferId = line.replace(/^txn_/, 'po_')
    ids.push(transferId)
    await advanceUntil(async () =>
      (await cashfree.state()).transfers.some(({ transfer_id }) => transfer_id === transferId),
    )
    await cashfree.setTransfer(transferId, status, `UTR${ids.length}`, code)
    await advanceUntil(async () => (await scenarios.line(agent, line)).status !== 'pending')
  }
  return ids.at(-1) ?? ''
}

async function advanceUntil(isSo: () => Promise<boolean>): Promise<void> {
  for (let times = 0; times < 50; times++) {
    if (await isSo()) return
    await scenarios.advance(600)
  }
  throw new Error('it never came to that')
}

/** The gateway's records, for the nightly reconciliation. */
async function record(orderId: string, paymentId: string): Promise<void> {
  const person = {
    customer_name: payer.name,
    customer_email: payer.email,
    customer_phone: payer.phone,
    payment_from: payer.upiId,
    card_number: payer.cardNumber,
    remarks: payer.pan,
  }
  const event_time = new Date(Date.now() - 60_000).toISOString()
  for (const entry of [
    { event_type: 'PAYMENT', cf_payment_id: paymentId, order_id: orderId, event_amount: '999.00' },
    { event_type: 'PAYMENT', cf_payment_id: '4242', order_id: payer.phone, event_amount: '5.00' },
    { event_type: 'SETTLEMENT', settlement_utr: 'UTR9', event_amount: '7.00', amount_settled: '7.00' },
  ]) {
    await cashfree.record({ ...entry, event_status: 'SUCCESS', event_time, ...person })
  }
}

function plantedValues(): Planted[] {
  const values = [...Object.entries(payer), ...QUOTED.map(value => ['quoted', value] as const)]
  return values.map(([what, value]) => ({ what, value: String(value), canBeGuessed: true }))
}

test('no personal data from a gateway is readable in the database, the log or the metrics', async () => {
  const agent = await verifiedAgent()
  const { session, paymentId, refundId } = await pay(agent)
  const transferId = await withdraw(agent)
  const subject: Subject = { orderId: session.order_id, paymentId, refundId, transferId }
  const strange: Subject = {
    orderId: subject.orderId.replace(/.$/, letter => (letter === '0' ? '1' : '0')),
    paymentId: '1',
    refundId: payer.upiId,
    transferId: transferId.replace(/.$/, letter => (letter === '0' ? '1' : '0')),
  }
  for (const about of [subject, strange]) {
    for (const { intake, type, data } of webhooksAbout(about, payer)) {
      await deliverInEveryWay(intake, JSON.stringify({ data, event_time: new Date().toISOString(), type }))
    }
  }
  for (const body of misshapenBodies(payer)) {
    for (const intake of ['cashfree', 'cashfree-payouts']) await deliverInEveryWay(intake, body)
  }
  await cashfree.dispute(session.order_id, paymentId, 'CHARGEBACK_MERCHANT_LOST')
  await record(session.order_id, paymentId)
  await scenarios.advance(DAY_S)
  const differences = await differencesSeen()
  expect(differences).toBeGreaterThan(0)

  // The service has handled all of this; otherwise the search below would find nothing because nothing was sent.
  const { lines, violations } = await cashfree.state()
  expect(violations).toEqual([])
  for (const line of ['POST /verification', 'GET /pg/orders', 'POST /payout/transfers', 'POST /pg/recon']) {
    expect(
      lines.some(seen => seen.startsWith(line)),
      line,
    ).toBe(true)
  }
  expect([...statuses.keys()].toSorted()).toEqual([200, 400, 401, 404, 413, 415])

  const searched = await writtenBy(stage)
  expect(searched.find(({ place }) => place === 'table gateway_notices')?.text).not.toBe('')
  expect(leaksIn(searched, plantedValues())).toEqual([])
  const digests = new Set(bodies.map(body => createHash('sha256').update(body).digest('hex')))
  const readable = searched.filter(({ text }) => [...digests].some(digest => text.includes(digest)))
  expect(readable.map(({ place }) => place)).toEqual([])
}, 120_000)

async function differencesSeen(): Promise<number> {
  const headers = await stage.network.admin()
  const response: ResponseOf<typeof routes.listDifferences> = await stage.api.ok(routes.listDifferences, {
    headers,
  })
  return response.pagination.total
}
