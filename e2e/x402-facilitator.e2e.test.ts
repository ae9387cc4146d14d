import { randomUUID } from 'node:crypto'
import { routes, type X402PaymentRequest } from '@batua/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Agent } from './src/network.ts'
import { openPayPerCallStage, type PayPerCallStage } from './src/pay-per-call-stage.ts'
import { originOf } from './src/paying-stage.ts'

let stage: PayPerCallStage
let service: string
let stranger: Agent

beforeAll(async () => {
  stage = await openPayPerCallStage()
  stranger = await stage.network.agent(stage.owner)
  service = await originOf(stage.api)
})
afterAll(() => stage.close())

interface Change {
  readonly price?: object
  readonly payload?: object
}

/** The buyer pays 2.50 INR for a new nonce. The result makes requests to the facilitator about it. */
async function paid(payer = stage.buyer, payee = stage.payee) {
  const nonce = randomUUID()
  const { payment_id: paymentId } = await stage.network.pay(payer, payee, 2.5, { reference: nonce })
  const price = {
    ...{ scheme: 'exact', network: 'batua:inr-sandbox', amount: '250', asset: 'INR', payTo: payee.handle },
    ...{ maxTimeoutSeconds: 600, extra: { nonce, service, paymentFlow: 'upfront' } },
  }
  const proof = { version: 1, transactionId: paymentId, fromAgent: payer.id, nonce }
  const request = (attempt: string | null, change: Change = {}): X402PaymentRequest => {
    const asked = { ...price, ...change.price }
    const payload = { ...proof, ...(attempt === null ? {} : { attempt }), ...change.payload }
    return {
      x402Version: 2,
      paymentPayload: { x402Version: 2, accepted: asked, payload },
      paymentRequirements: asked,
    }
  }
  return { nonce, paymentId: paymentId ?? '', request }
}

const verify = (body: X402PaymentRequest, { headers } = stage.payee) =>
  stage.api.ok(routes.verifyX402Payment, { headers, body })
const settle = (body: X402PaymentRequest, { headers } = stage.payee) =>
  stage.api.ok(routes.settleX402Payment, { headers, body })
const CANCEL = { payload: { phase: 'cancel' } }
const wealth = async (agent: Agent) => (await stage.network.balance(agent)).available
const USED = { success: false, errorReason: 'nonce_already_used', transaction: '' }

test('anybody can read the supported kinds of payment: in the sandbox only its own rupees', async () => {
  const kind = (scheme: string, paymentFlow: string) => ({
    ...{ x402Version: 2, scheme, network: 'batua:inr-sandbox' },
    extra: { service: expect.stringMatching(/^http:\/\/localhost:\d+$/), paymentFlow },
  })
  expect(await stage.api.ok(routes.getX402Supported, {})).toEqual({
    kinds: [kind('exact', 'upfront'), kind('exact', 'authorization'), kind('upto', 'authorization')],
    ...{ extensions: [], signers: {} },
  })
})

test('a paid price is valid until it is settled, and the same attempt gets the same response', async () => {
  const { request, paymentId } = await paid()
  const payer = stage.buyer.id
  expect(await verify(request(null))).toEqual({ isValid: true, payer })
  const settled = await settle(request('one'))
  expect(settled).toEqual({
    ...{ success: true, transaction: paymentId, network: 'batua:inr-sandbox', payer, amount: '250' },
  })
  expect(await settle(request('one'))).toEqual(settled)
  expect(await verify(request('one'))).toEqual({ isValid: true, payer })
  for (const attempt of ['two', null]) {
    expect(await settle(request(attempt))).toMatchObject(USED)
    expect(await verify(request(attempt))).toEqual({ isValid: false, invalidReason: 'nonce_already_used' })
  }
})

test('of twelve attempts at once one is settled', async () => {
  const { request } = await paid()
  const settled = await Promise.all(Array.from({ length: 12 }, (_, at) => settle(request(`try-${at}`))))
  expect(settled.filter(({ success }) => success)).toHaveLength(1)
  expect(settled.filter(({ errorReason }) => errorReason === 'nonce_already_used')).toHaveLength(11)
})

test('a nonce that pay-per-call has used is not settled, and the other way round', async () => {
  const { client } = stage
  const [first, second] = [await paid(), await paid()]
  const consume = ({ nonce, paymentId }: { nonce: string; paymentId: string }) =>
    client.verifyTransaction({ txn_id: paymentId, nonce, consume: true, consume_id: 'seller' })
  await consume(first)
  expect(await settle(first.request('one'))).toMatchObject(USED)
  await settle(second.request('one'))
  expect(await consume(second)).toMatchObject({ verified: false, reason: 'nonce_already_used' })
})

test.each<[string, Change]>([
  ['insufficient_amount', { price: { amount: '251' } }],
  ['payer_mismatch', { payload: { fromAgent: 'agt_01kb7q3f8meg5tz4x9wc2n6a01' } }],
  ['nonce_mismatch', { payload: { nonce: '0b54f0c2-7a0e-8a52-9a51-4a6c3a1f0d7e' } }],
  ['transaction_not_found', { payload: { transactionId: 'pay_01kb7q3f8meg5tz4x9wc2n6a01' } }],
  ['payee_mismatch', { price: { payTo: 'another-payee' } }],
  ['invalid_network', { price: { network: 'batua:inr' } }],
])('%s is a reason of both, and uses no nonce up', async (reason, change) => {
  const { request } = await paid()
  expect(await verify(request('one', change))).toEqual({ isValid: false, invalidReason: reason })
  expect(await settle(request('one', change))).toMatchObject({ success: false, errorReason: reason })
  expect(await settle(request('two'))).toMatchObject({ success: true })
})

test('an agent other than the payee cannot settle', async () => {
  const { request } = await paid()
  expect(await settle(request('one'), stranger)).toMatchObject({ success: false, errorReason: 'not_payee' })
  expect(await settle(request('one'))).toMatchObject({ success: true })
})

test('a cancelled settlement is refunded once, however often it is asked for, and stays settled', async () => {
  const before = await wealth(stage.buyer)
  const { request } = await paid()
  await settle(request('one'))
  const cancelled = await Promise.all(Array.from({ length: 6 }, () => settle(request('one', CANCEL))))
  expect(cancelled.map(({ success }) => success)).toEqual(Array(6).fill(true))
  expect(cancelled.filter(({ transaction }) => transaction.startsWith('rfd_'))).toHaveLength(1)
  expect(await wealth(stage.buyer)).toBe(before - 1)
  expect(await settle(request('two'))).toMatchObject({ success: false })
  expect(await settle(request('one'))).toMatchObject({ success: true })
})

test('an attempt cannot cancel what another one has settled', async () => {
  const { request } = await paid()
  await settle(request('one'))
  const before = await wealth(stage.buyer)
  expect(await settle(request('two', CANCEL))).toMatchObject(USED)
  expect(await settle(request('two', CANCEL), stranger)).toMatchObject({ errorReason: 'not_payee' })
  expect(await wealth(stage.buyer)).toBe(before)
})

test('a cancellation that comes before its settlement refunds, and no other attempt is served', async () => {
  const { request } = await paid()
  expect(await settle(request('one', CANCEL))).toMatchObject({ success: true, amount: '250' })
  expect(await settle(request('two'))).toMatchObject({ success: false })
})

test('a refund that the seller cannot pay is refused with its reason', async () => {
  const { network, owner, buyer } = stage
  const seller = await network.agent(owner)
  const { request } = await paid(buyer, seller)
  await settle(request('one'), seller)
  await network.pay(seller, stranger, 1)
  const cancel = () => settle(request('one', CANCEL), seller)
  expect(await cancel()).toMatchObject({ success: false, errorReason: 'insufficient_balance' })
  await network.pay(buyer, seller, 5)
  expect(await cancel()).toMatchObject({ success: true, amount: '250' })
})

test('an invalid request of x402 is a validation error, and a request without a key is refused', async () => {
  const { request } = await paid()
  const { headers } = stage.payee
  const body = { ...request('one'), paymentPayload: 'none' } as unknown as X402PaymentRequest
  await stage.api.refused(routes.settleX402Payment, 400, 'validation_error', { headers, body })
  await stage.api.refused(routes.settleX402Payment, 401, 'authentication_error', { body: request('one') })
})
