import { expect, test } from 'vitest'
import { readX402Request } from './request.ts'

const RAIL = { network: 'batua:inr-sandbox', service: 'https://batua.example' } as const
const NONCE = '0b54f0c2-7a0e-8a52-9a51-4a6c3a1f0d7e'
const PRICE = {
  ...{ scheme: 'exact', network: RAIL.network, amount: '250', asset: 'INR', payTo: 'weather' },
  maxTimeoutSeconds: 600,
  extra: { nonce: NONCE, service: RAIL.service, paymentFlow: 'upfront' },
}
const PAYLOAD = {
  ...{ version: 1, transactionId: 'pay_01m7yptcm9e008qzdncftyawbt' },
  ...{ fromAgent: 'agt_01m7yptc5he00870yqczhzdbjy', nonce: NONCE, attempt: 'a-1' },
}

/** A request with changes of its price, its payload, and what the buyer accepted. */
function read({ price = {}, payload = {}, accepted = {}, payment = {}, version = 2 } = {}) {
  const asked = { ...PRICE, ...price }
  const paymentPayload = {
    ...{ x402Version: 2, accepted: { ...asked, ...accepted }, payload: { ...PAYLOAD, ...payload } },
    ...payment,
  }
  return readX402Request({ x402Version: version, paymentPayload, paymentRequirements: asked }, RAIL)
}

const READ = {
  scheme: 'exact',
  ...{ payer: PAYLOAD.fromAgent, payTo: 'weather', pricePaise: 250n, amountPaise: 250n },
  ...{ nonce: NONCE, attempt: 'a-1', isCancel: false },
}

test('a request is read, with the amount in paise', () => {
  expect(read()).toEqual({ ...READ, means: { kind: 'payment', paymentId: PAYLOAD.transactionId } })
})

const TOKEN = 'eyJ0.eyJq.c2ln'
const { paymentFlow: _, ...DEFAULT_FLOW } = PRICE.extra
const AUTHORIZATION = { price: { extra: DEFAULT_FLOW }, payload: { authorization: TOKEN } }

test('without a flow, which is how x402 writes it, the money is set aside', () => {
  const set = { ...READ, means: { kind: 'authorization', token: TOKEN } }
  expect(read(AUTHORIZATION)).toEqual(set)
  const named = { ...PRICE.extra, paymentFlow: 'authorization' }
  expect(read({ ...AUTHORIZATION, price: { extra: named } })).toEqual(set)
  expect(read({ ...AUTHORIZATION, payload: {} })).toBe('invalid_payload')
})

test('of upto less than the accepted price is settled, even nothing, and never more', () => {
  const upto = (amount: string) =>
    read({
      ...AUTHORIZATION,
      price: { extra: DEFAULT_FLOW, scheme: 'upto', amount },
      accepted: { amount: '250' },
    })
  expect(upto('250')).toMatchObject({ pricePaise: 250n, amountPaise: 250n })
  expect(upto('0')).toMatchObject({ pricePaise: 250n, amountPaise: 0n })
  expect(upto('251')).toBe('invalid_payload')
})

test('the nonce that the buyer accepted may be another than that of the newest price', () => {
  const accepted = { extra: { ...PRICE.extra, nonce: '11111111-7a0e-8a52-9a51-4a6c3a1f0d7e' } }
  expect(read({ accepted })).toMatchObject({ nonce: NONCE })
})

test('an attempt may be absent, except in a cancellation', () => {
  expect(read({ payload: { attempt: undefined } })).toMatchObject({ attempt: null, isCancel: false })
  expect(read({ payload: { phase: 'cancel' } })).toMatchObject({ attempt: 'a-1', isCancel: true })
  expect(read({ payload: { attempt: undefined, phase: 'cancel' } })).toBe('invalid_payload')
})

test.each<[string, string, Parameters<typeof read>[0]]>([
  ['invalid_x402_version', 'version 1', { version: 1 }],
  ['invalid_x402_version', 'a payload of version 1', { payment: { x402Version: 1 } }],
  ['unsupported_scheme', 'another scheme', { price: { scheme: 'deferred' } }],
  ['invalid_network', 'real money at the sandbox', { price: { network: 'batua:inr' } }],
  [
    'unsupported_payment_flow',
    'another flow',
    { price: { extra: { ...PRICE.extra, paymentFlow: 'escrow' } } },
  ],
  [
    'unsupported_payment_flow',
    'a payment before the request for up to a price',
    { price: { scheme: 'upto' } },
  ],
  [
    'invalid_payload',
    'another accepted flow',
    {
      payload: { authorization: TOKEN },
      accepted: { extra: { ...PRICE.extra, paymentFlow: 'authorization' } },
    },
  ],
  ['invalid_payload', 'a token of three dots', { ...AUTHORIZATION, payload: { authorization: 'a.b.c.d' } }],
  ['invalid_payment_requirements', 'another currency', { price: { asset: 'USD' } }],
  ['invalid_payment_requirements', 'an amount with decimals', { price: { amount: '2.50' } }],
  ['invalid_payment_requirements', 'an amount of 0', { price: { amount: '0' } }],
  ['invalid_payment_requirements', 'a number', { price: { amount: 250 } }],
  ['invalid_payment_requirements', 'a huge amount', { price: { amount: '9'.repeat(14) } }],
  ['invalid_payment_requirements', 'no payee', { price: { payTo: undefined } }],
  [
    'invalid_payment_requirements',
    'another service',
    { price: { extra: { ...PRICE.extra, service: 'https://x.example' } } },
  ],
  ['invalid_payment_requirements', 'no extra', { price: { extra: null } }],
  ['invalid_payload', 'another accepted amount', { accepted: { amount: '1' } }],
  ['invalid_payload', 'another accepted payee', { accepted: { payTo: 'thief' } }],
  ['invalid_payload', 'nothing accepted', { payment: { accepted: null } }],
  ['invalid_payload', 'no payload', { payment: { payload: [] } }],
  ['invalid_payload', 'another version of the proof', { payload: { version: 2 } }],
  ['invalid_payload', 'a statement line', { payload: { transactionId: 'txn_01m7yptcm9e008qzdncftyawbt' } }],
  ['invalid_payload', 'no agent', { payload: { fromAgent: 'weather' } }],
  ['invalid_payload', 'a nonce that is no UUID', { payload: { nonce: 'invoice-7' } }],
  ['invalid_payload', 'a long attempt', { payload: { attempt: 'a'.repeat(101) } }],
  ['invalid_payload', 'an unknown phase', { payload: { phase: 'capture' } }],
])('the error is %s for %s', (reason, _, changes) => {
  expect(read(changes)).toBe(reason)
})
