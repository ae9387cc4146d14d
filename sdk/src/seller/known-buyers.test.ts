import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { expect, test } from 'vitest'
import { createClient } from '../client/client.ts'
import { decodeChallenge, decodeDemand, encodeProof } from '../protocol/headers.ts'
import { CHALLENGE_HEADER } from '../protocol/messages.ts'
import type { PriceFacts, SellerOptions, SellerRequest } from './options.ts'
import { createSellerIn } from './seller.ts'

const PAYMENT = 'pay_01kb7q3f8meg5tz4x9wc2n6a01'
const [BUYER = '', THIEF = ''] = ['1', '2'].map(n => `agt_01kb7q3f8meg5tz4x9wc2n6a0${n}`)
const START = Date.parse('2026-07-01T10:00:00.000Z')
const HOUR_MS = 3_600_000

interface Key {
  readonly id: string
  readonly privateKey: KeyObject
  readonly document: object
}

function newKey(id: string, span: object = {}): Key {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64')
  const always = { active_from: '2026-01-01T00:00:00.000Z', retired_at: null, revoked_at: null }
  return { id, privateKey, document: { key_id: id, public_key: raw, ...always, ...span } }
}

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

function signed(key: Key, claims: object, header: object = {}): string {
  const text = `${part({ alg: 'EdDSA', kid: key.id, typ: 'membership-proof+jwt', ...header })}.${part(claims)}`
  return `${text}.${sign(null, Buffer.from(text), key.privateKey).toString('base64url')}`
}

const CLAIMS = {
  ...{ iss: 'batua', agent_id: BUYER, handle: 'researcher', tier: 'tier2', kyc_status: 'verified' },
  ...{ platform_id: 'plt_01kb7q3f8meg5tz4x9wc2n6a01', organization_id: null },
  ...{ issued_at: new Date(START).toISOString(), expires_at: new Date(START + HOUR_MS).toISOString() },
}

/** 10 INR, and for known buyers 2. */
const price = (_: unknown, { buyer }: PriceFacts) => (buyer === null ? 10 : 2)

function openShop(options: Partial<SellerOptions<SellerRequest>> = {}) {
  const key = newKey('key_a')
  const clock = { ms: START }
  const state = {
    ...{ keys: [key], reachable: true, documents: 0, refunds: 0 },
    /** The one payment. */
    paid: { from: BUYER, amount: '2.00', reference: '' },
  }
  const service: typeof fetch = async input => {
    const { pathname, searchParams: asked } = new URL(input instanceof Request ? input.url : input)
    if (pathname === '/.well-known/service-keys.json') {
      state.documents += 1
      if (!state.reachable) throw new TypeError('fetch failed')
      return Response.json({ platform: 'batua', keys: state.keys.map(({ document }) => document) })
    }
    if (pathname.endsWith('/refund')) state.refunds += 1
    const { from, amount, reference } = state.paid
    let reason: string | null = null
    if ((asked.get('expected_payer') ?? from) !== from) reason = 'payer_mismatch'
    else if (Number(amount) < Number(asked.get('expected_amount') ?? 0)) reason = 'insufficient_amount'
    else if (asked.get('nonce') !== reference) reason = 'nonce_mismatch'
    return Response.json({ verified: reason === null, ...(reason && { reason }), from, amount })
  }
  const agentKey = `agk_live_${'k'.repeat(43)}`
  const client = createClient({ baseUrl: 'http://service.test', agentKey, fetch: service, maxRetries: 0 })
  const seller = createSellerIn<SellerRequest>(
    { client, payTo: 'weather', amount: price, buyers: {}, verifyTimeoutMs: 2_000, ...options },
    { now: () => clock.ms, randomBytes: count => crypto.getRandomValues(new Uint8Array(count)) },
  )
  async function ask(headers: Record<string, string> = {}) {
    const request: SellerRequest = {
      ...{ method: 'GET', path: '/weather', address: '203.0.113.7' },
      header: name => headers[name] ?? null,
    }
    const acceptance = await seller.accept(request, request)
    if (acceptance.kind !== 'refused') return { status: acceptance.kind, nonce: '' }
    const { status, body, headers: responded } = acceptance.response
    const header = responded[CHALLENGE_HEADER] ?? ''
    const challenge = decodeChallenge(header)
    const { error } = JSON.parse(body) as { error: { message: string; details: { reason?: string } } }
    const facts = { status, reason: error.details.reason ?? null, price: challenge?.amount ?? null }
    return { ...facts, nonce: challenge?.nonce ?? '', demand: decodeDemand(header), message: error.message }
  }
  const askAs = (token: string) => ask({ 'x-service-identity': token })
  /** Pays a nonce, and shows the proof. */
  async function buy(
    nonce: string | undefined,
    payer: string,
    fromAgent = payer,
    token?: string,
    amount = '2.00',
  ) {
    state.paid = { from: payer, amount, reference: nonce ?? '' }
    const proof = encodeProof({ version: 1, transactionId: PAYMENT, fromAgent, nonce: nonce ?? '' })
    return ask({
      'x-service-payment': proof,
      ...(token === undefined ? {} : { 'x-service-identity': token }),
    })
  }
  return { key, clock, state, ask, askAs, buy, token: signed(key, CLAIMS) }
}

test('a known buyer gets its own price, pays it, and need not show who it is again', async () => {
  const { ask, askAs, buy, token, state } = openShop()
  expect(await ask()).toMatchObject({ status: 402, price: '10.00', demand: {} })
  const asked = await askAs(token)
  expect(asked).toMatchObject({ status: 402, price: '2.00', demand: {} })
  expect(await buy(asked.nonce, BUYER)).toMatchObject({ status: 'accepted' })
  expect(state).toMatchObject({ documents: 1, refunds: 0 })
})

test('the price function receives what the service states about the buyer', async () => {
  const seen: unknown[] = []
  const { askAs, ask, token } = openShop({ amount: (_, { buyer }) => seen.push(buyer) })
  await askAs(token)
  await ask()
  const known = { agentId: BUYER, handle: 'researcher', tier: 'tier2', kycStatus: 'verified' }
  expect(seen).toEqual([{ ...known, platformId: CLAIMS.platform_id, organizationId: null }, null])
})

test('a stolen token buys nothing: the price of a known buyer is paid by that buyer only', async () => {
  const { askAs, buy, token, state } = openShop()
  const { nonce } = await askAs(token)
  expect(await buy(nonce, THIEF)).toMatchObject({ status: 402, reason: 'nonce_not_ours' })
  expect(await buy(nonce, THIEF, THIEF, token)).toMatchObject({ status: 402, reason: 'nonce_not_ours' })
  expect(await buy(nonce, THIEF, BUYER, token)).toMatchObject({ status: 402, reason: 'payer_mismatch' })
  expect(state.refunds).toBe(0)
})

test('the price of everybody is not lowered by a token that is shown with the payment', async () => {
  const { ask, buy, token } = openShop()
  const { nonce } = await ask()
  expect(await buy(nonce, THIEF, THIEF, token)).toMatchObject({ status: 402, reason: 'insufficient_amount' })
  expect(await buy(nonce, THIEF, THIEF, token, '10.00')).toMatchObject({ status: 'accepted' })
})

test.each<[string, (key: Key) => string, string]>([
  [
    'has expired',
    key => signed(key, { ...CLAIMS, expires_at: new Date(START - 60_001).toISOString() }),
    'identity_expired',
  ],
  ['has no end', key => signed(key, { ...CLAIMS, expires_at: undefined }), 'identity_expired'],
  [
    'was changed',
    key => signed(key, CLAIMS).replace(/\.[^.]+\./, `.${part({ ...CLAIMS, tier: 'tier3' })}.`),
    'identity_not_genuine',
  ],
  ['is signed by another key', ({ id }) => signed({ ...newKey(id), id }, CLAIMS), 'identity_not_genuine'],
  ['is of another service', key => signed(key, { ...CLAIMS, iss: 'other' }), 'identity_not_genuine'],
  ['is a token of another kind', key => signed(key, CLAIMS, { typ: 'receipt+jwt' }), 'identity_not_genuine'],
  [
    'has no signature',
    key => `${signed(key, CLAIMS).split('.').slice(0, 2).join('.')}.`,
    'identity_not_genuine',
  ],
  ['names no algorithm', key => signed(key, CLAIMS, { alg: 'none' }), 'identity_not_genuine'],
  ['names no agent', key => signed(key, { ...CLAIMS, agent_id: 'me' }), 'identity_not_genuine'],
  ['is no token', () => 'hello', 'identity_not_genuine'],
])('a token that %s is refused with 403, and no price is asked', async (_, make, reason) => {
  const { key, askAs } = openShop()
  expect(await askAs(make(key))).toMatchObject({ status: 403, reason, price: null, demand: {} })
})

test('a token of a revoked key is refused, one of an unknown key gets 503 until the key is known', async () => {
  const { state, askAs, clock } = openShop()
  const [revoked, unknown] = [newKey('key_b', { revoked_at: '2026-07-01T09:00:00.000Z' }), newKey('key_c')]
  state.keys.push(revoked)
  expect(await askAs(signed(revoked, CLAIMS))).toMatchObject({ status: 403, reason: 'identity_not_genuine' })
  expect(await askAs(signed(unknown, CLAIMS))).toMatchObject({ status: 503 })
  state.keys.push(unknown)
  clock.ms += 10_000
  expect(await askAs(signed(unknown, CLAIMS))).toMatchObject({ status: 402, price: '2.00' })
})

test('while the keys cannot be fetched, a known buyer gets 503 and everybody else the price', async () => {
  const { state, ask, askAs, token } = openShop()
  state.reachable = false
  expect(await askAs(token)).toMatchObject({ status: 503 })
  expect(await ask()).toMatchObject({ status: 402, price: '10.00' })
})

test.each<[string, object, object, boolean]>([
  ['tier2', { tier: 'tier2' }, {}, true],
  ['tier1', { tier: 'tier1' }, {}, true],
  ['tier3', { tier: 'tier3' }, {}, false],
  ['verified KYC', { kyc: 'verified' }, {}, true],
  ['verified KYC of a buyer without', { kyc: 'verified' }, { kyc_status: 'pending' }, false],
  ['both of a buyer with one', { tier: 'tier1', kyc: 'verified' }, { tier: 'sandbox' }, false],
])('a seller that demands %s sells only to such buyers, and says so', async (_, buyers, claims, isSold) => {
  const { key, ask, askAs, buy } = openShop({ buyers, amount: 2 })
  expect(await ask()).toMatchObject({ status: 403, reason: 'identity_required', demand: buyers, price: null })
  const asked = await askAs(signed(key, { ...CLAIMS, ...claims }))
  if (!isSold) {
    expect(asked).toMatchObject({ status: 403, reason: 'buyer_not_accepted', demand: buyers, price: null })
    return
  }
  expect(asked).toMatchObject({ status: 402, price: '2.00', demand: buyers })
  expect(await buy(asked.nonce, THIEF)).toMatchObject({ status: 403, reason: 'identity_required' })
  expect(await buy(asked.nonce, BUYER)).toMatchObject({ status: 'accepted' })
})

test('a price function of a selective seller is never asked about an unknown buyer', async () => {
  const { askAs, ask, buy, token } = openShop({
    buyers: { tier: 'tier1' },
    amount: (_, { buyer }) => (buyer?.tier === 'tier2' ? 2 : Number.NaN),
  })
  expect(await ask()).toMatchObject({ status: 403 })
  expect(await buy((await askAs(token)).nonce, BUYER)).toMatchObject({ status: 'accepted' })
})

test('a price of 0 for a known buyer is an error, because nothing would prove who it is', async () => {
  const { askAs, token } = openShop({ amount: (_, { buyer }) => (buyer === null ? 1 : 0) })
  await expect(askAs(token)).rejects.toThrow(RangeError)
  expect(() => openShop({ buyers: { kyc: 'verified' }, amount: 0 })).toThrow(RangeError)
  const free = openShop({ amount: 0 })
  expect(await free.askAs(free.token)).toMatchObject({ status: 'free' })
})

test('a payment that comes too late is refunded to a known buyer like to every other', async () => {
  const { askAs, buy, token, clock, state } = openShop()
  const { nonce } = await askAs(token)
  clock.ms += 11 * 60_000
  expect(await buy(nonce, BUYER)).toMatchObject({ status: 402, reason: 'nonce_expired' })
  expect(state.refunds).toBe(1)
})

test('a seller without the option reads no token, and a demand that it cannot check is a TypeError', async () => {
  const { askAs, state } = openShop({ buyers: undefined } as object)
  expect(await askAs('hello')).toMatchObject({ status: 402, price: '10.00', demand: null })
  expect(state.documents).toBe(0)
  for (const buyers of [{ tier: 'gold' }, { kyc: 'none' }, { country: 'IN' }, [], 'tier1']) {
    expect(() => openShop({ buyers } as object)).toThrow(TypeError)
  }
})
