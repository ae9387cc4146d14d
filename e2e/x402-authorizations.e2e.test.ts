import { randomUUID } from 'node:crypto'
import { routes, type X402PaymentRequest } from '@batua/contract'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Agent } from './src/network.ts'
import { openPayPerCallStage, type PayPerCallStage } from './src/pay-per-call-stage.ts'
import { originOf } from './src/paying-stage.ts'

let stage: PayPerCallStage
let service: string
let stranger: Agent
let buyer: Agent

beforeAll(async () => {
  stage = await openPayPerCallStage()
  stranger = await stage.network.agent(stage.owner)
  service = await originOf(stage.api)
})
afterAll(() => stage.close())
beforeEach(async () => {
  buyer = await stage.network.fundedAgent(stage.owner)
})

/** What the buyer starts with: the price of 2.50 INR and its fee of 1 INR are set aside of it. */
const WEALTH = 975

interface Change {
  readonly scheme?: 'exact' | 'upto'
  /** What the handler says, in paise. */
  readonly amount?: string
  readonly price?: object
  readonly payload?: object
}

/** The buyer sets 2.50 INR aside for a new nonce. The result makes requests to the facilitator about it. */
async function setAside(more: { readonly voucher_key?: string; readonly amount?: number } = {}) {
  const nonce = randomUUID()
  const { authorization_id: id, token } = await stage.api.ok(routes.authorize, {
    params: { agent_id: buyer.id },
    headers: buyer.headers,
    body: { to: stage.payee.handle, amount: 2.5, reference: nonce, ...more },
  })
  const request = (
    attempt: string | null,
    { scheme = 'exact', amount = '250', price = {}, payload = {} }: Change = {},
  ): X402PaymentRequest => {
    const asked = {
      ...{ scheme, network: 'batua:inr-sandbox', amount: '250', asset: 'INR', payTo: stage.payee.handle },
      ...{ maxTimeoutSeconds: 600, extra: { nonce, service }, ...price },
    }
    const proof = { version: 1, authorization: token, fromAgent: buyer.id, nonce }
    const attempted = attempt === null ? proof : { ...proof, attempt }
    return {
      x402Version: 2,
      paymentPayload: { x402Version: 2, accepted: asked, payload: { ...attempted, ...payload } },
      paymentRequirements: { ...asked, amount },
    }
  }
  return { id: id ?? '', token: token ?? '', nonce, request }
}

const verify = (body: X402PaymentRequest, { headers } = stage.payee) =>
  stage.api.ok(routes.verifyX402Payment, { headers, body })
const settle = (body: X402PaymentRequest, { headers } = stage.payee) =>
  stage.api.ok(routes.settleX402Payment, { headers, body })
const CANCEL = { payload: { phase: 'cancel' } }
const wealth = async () => (await stage.network.balance(buyer)).available
const USED = { isValid: false, invalidReason: 'nonce_already_used' }
const NOT_COMPLETED = { success: false, errorReason: 'transaction_not_completed', transaction: '' }

test('money set aside is verified, captured for the price, and the same attempt gets the same response', async () => {
  const { request } = await setAside()
  expect(await wealth()).toBe(WEALTH - 3.5)
  expect(await verify(request('one'))).toEqual({ isValid: true, payer: buyer.id })
  const settled = await settle(request('one'))
  expect(settled).toMatchObject({ success: true, payer: buyer.id, amount: '250' })
  expect(settled.transaction).toMatch(/^pay_/)
  expect(await settle(request('one'))).toEqual(settled)
  expect(await verify(request('one'))).toEqual({ isValid: true, payer: buyer.id })
  expect(await verify(request('two'))).toEqual(USED)
  expect(await settle(request('two'))).toMatchObject({ success: false, errorReason: 'nonce_already_used' })
  expect(await wealth()).toBe(WEALTH - 3.5)
})

test.each([
  ['different attempts', 1],
  ['no attempt', 0],
])('of twelve verifications at once with %s one is valid', async (_, named) => {
  const { request } = await setAside()
  const verified = await Promise.all(
    Array.from({ length: 12 }, (_, at) => verify(request(named ? `try-${at}` : null))),
  )
  expect(verified.filter(({ isValid }) => isValid)).toHaveLength(1)
  expect(verified.filter(({ invalidReason }) => invalidReason === 'nonce_already_used')).toHaveLength(11)
})

test('a seller without attempts settles what it has verified, once', async () => {
  const { request } = await setAside()
  await verify(request(null))
  const settled = await Promise.all(Array.from({ length: 6 }, () => settle(request(null))))
  expect(new Set(settled.map(({ transaction }) => transaction)).size).toBe(1)
  expect(settled.every(({ success }) => success)).toBe(true)
  expect(await wealth()).toBe(WEALTH - 3.5)
})

test('a handler that fails costs nothing, not even the fee, and cannot be settled afterwards', async () => {
  const { request, id } = await setAside()
  await verify(request('one'))
  expect(await settle(request('two', CANCEL))).toMatchObject({ errorReason: 'nonce_already_used' })
  expect(await wealth()).toBe(WEALTH - 3.5)
  const cancelled = await Promise.all(Array.from({ length: 6 }, () => settle(request('one', CANCEL))))
  for (const response of cancelled)
    expect(response).toMatchObject({ success: true, transaction: id, amount: '0' })
  expect(await wealth()).toBe(WEALTH)
  expect(await settle(request('one'))).toMatchObject(NOT_COMPLETED)
  expect(await verify(request('one'))).toMatchObject({ invalidReason: 'transaction_not_completed' })
})

test('a captured authorization cannot be cancelled', async () => {
  const { request } = await setAside()
  await settle(request('one'))
  expect(await settle(request('one', CANCEL))).toMatchObject({ success: false, errorReason: 'conflict' })
  expect(await settle(request('one'))).toMatchObject({ success: true, amount: '250' })
})

test('with upto the handler’s amount is captured, and the first amount of an attempt is final', async () => {
  const { request } = await setAside()
  await verify(request('one', { scheme: 'upto' }))
  const settled = await settle(request('one', { scheme: 'upto', amount: '120' }))
  expect(settled).toMatchObject({ success: true, amount: '120' })
  expect(await settle(request('one', { scheme: 'upto', amount: '250' }))).toEqual(settled)
  expect(await wealth()).toBe(WEALTH - 1.2 - 1)
})

test('with upto an amount of 0 costs nothing, and is final', async () => {
  const { request } = await setAside()
  await verify(request('one', { scheme: 'upto' }))
  const nothing = { success: true, transaction: '', amount: '0' }
  expect(await settle(request('one', { scheme: 'upto', amount: '0' }))).toMatchObject(nothing)
  expect(await settle(request('one', { scheme: 'upto', amount: '250' }))).toMatchObject(nothing)
  expect(await wealth()).toBe(WEALTH)
})

test('of twelve concurrent settlements with different amounts one counts, and all return the same result', async () => {
  const { request } = await setAside()
  await verify(request('one', { scheme: 'upto' }))
  const settled = await Promise.all(
    Array.from({ length: 12 }, (_, at) =>
      settle(request('one', { scheme: 'upto', amount: String(101 + at) })),
    ),
  )
  const [first] = settled
  expect(first).toMatchObject({ success: true })
  expect(new Set(settled.map(each => JSON.stringify(each)))).toEqual(new Set([JSON.stringify(first)]))
  expect(await wealth()).toBeCloseTo(WEALTH - 1 - Number(first?.amount) / 100)
})

test.each<[string, Change]>([
  ['insufficient_amount', { amount: '251', price: { amount: '251' } }],
  ['payer_mismatch', { payload: { fromAgent: 'agt_01kb7q3f8meg5tz4x9wc2n6a01' } }],
  ['nonce_mismatch', { payload: { nonce: '0b54f0c2-7a0e-8a52-9a51-4a6c3a1f0d7e' } }],
  ['payee_mismatch', { price: { payTo: 'another-payee' } }],
  ['transaction_not_found', { payload: { authorization: 'eyJ0.eyJqdGkiOiJhdGhfMSJ9.c2ln' } }],
  ['invalid_payload', { payload: { authorization: 'none' } }],
])('%s is a reason of both, and uses no nonce up', async (reason, change) => {
  const { request } = await setAside()
  expect(await verify(request('one', change))).toEqual({ isValid: false, invalidReason: reason })
  expect(await settle(request('one', change))).toMatchObject({ success: false, errorReason: reason })
  expect(await verify(request('two'))).toMatchObject({ isValid: true })
})

test('a token that the service has not signed for these terms is refused', async () => {
  const { request, token } = await setAside()
  const [header, , signature] = token.split('.')
  const { token: other } = await setAside()
  const forged = [header, other.split('.')[1], signature].join('.')
  const change = { payload: { authorization: forged } }
  expect(await verify(request('one', change))).toMatchObject({ invalidReason: 'transaction_not_found' })
})

test('an agent other than the payee can neither reserve nor settle', async () => {
  const { request } = await setAside()
  expect(await verify(request('one'), stranger)).toMatchObject({ invalidReason: 'not_payee' })
  expect(await settle(request('one'), stranger)).toMatchObject({ errorReason: 'not_payee' })
  expect(await settle(request('one'))).toMatchObject({ success: true })
})

test('money that the buyer takes back, or that only vouchers capture, is not reserved', async () => {
  const { request, id } = await setAside()
  await stage.api.ok(routes.closeAuthorization, {
    params: { authorization_id: id },
    headers: buyer.headers,
  })
  expect(await verify(request('one'))).toMatchObject({ invalidReason: 'transaction_not_completed' })
  expect(await settle(request('one'))).toMatchObject(NOT_COMPLETED)
  // The public key of RFC 8032, section 7.1, test 1.
  const voucher_key = '11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo='
  const vouchers = await setAside({ voucher_key })
  expect(await verify(vouchers.request('one'))).toMatchObject({ invalidReason: 'invalid_payload' })
})

test('money that the buyer takes back after the verification can still be captured', async () => {
  const { request, id } = await setAside()
  await verify(request('one'))
  await stage.api.ok(routes.closeAuthorization, {
    params: { authorization_id: id },
    headers: buyer.headers,
  })
  expect(await settle(request('one'))).toMatchObject({ success: true, amount: '250' })
})

test('a nonce is used by a payment or by an authorization, and its use is in the audit log', async () => {
  const { request, id, nonce } = await setAside()
  const { payment_id } = await stage.network.pay(buyer, stage.payee, 2.5, { reference: nonce })
  await verify(request('one'))
  const use = { txn_id: payment_id ?? '', nonce, consume: true }
  expect(await stage.client.verifyTransaction(use)).toMatchObject({ reason: 'nonce_already_used' })
  await settle(request('one'))
  const { entries } = await stage.api.ok(routes.listAuditEntries, {
    params: { agent_id: stage.payee.id },
    headers: stage.payee.headers,
    query: { action: 'nonce.consumed', limit: 1 },
  })
  expect(entries).toMatchObject([{ target: id.replace('ath_', 'txn_'), data: { nonce, consume_id: 'one' } }])
})
