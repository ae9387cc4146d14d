import { describe, expect, test } from 'vitest'
import type { PaymentChallenge } from '../protocol/messages.ts'
import { payeeName } from '../protocol/payee.ts'
import { type ChallengeFacts, decideChallenge } from './decide-challenge.ts'

const CHALLENGE: PaymentChallenge = {
  payTo: 'Weather-Shop',
  amount: '2.50',
  asset: 'INR',
  nonce: '0b54f0c2-7a0e-4a52-9a51-4a6c3a1f0d7e',
}
const URL_ASKED = new URL('https://shop.example/weather')
const TERMS = { maxPaise: 250n, payees: null, allowHttp: false }

function decide(facts: Partial<ChallengeFacts>) {
  const payable = {
    challenge: CHALLENGE,
    askedUrl: URL_ASKED,
    finalUrl: URL_ASKED,
    isBodyRepeatable: true,
  }
  return decideChallenge({ ...payable, terms: TERMS, ...facts })
}

function refusalOf(facts: Partial<ChallengeFacts>) {
  const decision = decide(facts)
  return decision.kind === 'refusal' ? decision.code : null
}

test('a challenge within the terms becomes an order for exactly its amount and payee', () => {
  expect(decide({})).toEqual({
    kind: 'order',
    payTo: 'Weather-Shop',
    amountPaise: 250n,
    nonce: CHALLENGE.nonce,
    takesVouchers: false,
  })
})

describe('a challenge is not paid', () => {
  const elsewhere = new URL('https://shop.example:8443/weather')
  const http = new URL('http://shop.example/weather')
  test.each<[string, string, Partial<ChallengeFacts>]>([
    ['that cannot be read', 'invalid_challenge', { challenge: null }],
    ['that comes from another origin', 'redirect_refused', { finalUrl: elsewhere }],
    ['that comes from http when https was asked', 'redirect_refused', { finalUrl: http }],
    ['without https', 'insecure_seller', { askedUrl: http, finalUrl: http }],
    [
      'in another currency',
      'invalid_challenge',
      { challenge: { ...CHALLENGE, asset: 'USD' } as unknown as PaymentChallenge },
    ],
    ['one paisa above the maximum', 'price_too_high', { challenge: { ...CHALLENGE, amount: '2.51' } }],
    [
      'to a payee not named',
      'payee_not_allowed',
      { terms: { ...TERMS, payees: new Set(['weather-shop-2']) } },
    ],
    ['to anybody when nobody is named', 'payee_not_allowed', { terms: { ...TERMS, payees: new Set() } }],
    ['for a body that is gone', 'body_not_repeatable', { isBodyRepeatable: false }],
  ])('%s', (_name, code, facts) => {
    expect(refusalOf(facts)).toBe(code)
  })
})

test('http is paid if allowed, but not for a request that was made over https', () => {
  const http = new URL('http://shop.example/weather')
  const terms = { ...TERMS, allowHttp: true }
  expect(refusalOf({ askedUrl: http, finalUrl: http, terms })).toBeNull()
  expect(refusalOf({ finalUrl: http, terms })).toBe('redirect_refused')
})

test('a payee is the same in upper and lower case, with and without @', () => {
  for (const named of ['weather-shop', '@Weather-Shop', 'WEATHER-SHOP']) {
    expect(refusalOf({ terms: { ...TERMS, payees: new Set([payeeName(named)]) } })).toBeNull()
  }
})
