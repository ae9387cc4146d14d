import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createClient } from '../client/client.ts'
import { decodeChallenge, encodeProof } from '../protocol/headers.ts'
import { CHALLENGE_HEADER } from '../protocol/messages.ts'
import { memoryNonceStore } from './memory-nonce-store.ts'
import type { SellerOptions, SellerRequest } from './options.ts'
import { createSellerIn } from './seller.ts'

const PAYMENT = 'pay_01kb7q3f8meg5tz4x9wc2n6a01'
const [BUYER, OTHER, SELLER] = ['1', '2', '3'].map(n => `agt_01kb7q3f8meg5tz4x9wc2n6a0${n}`)
const START = Date.parse('2026-07-01T10:00:00.000Z')

interface Key {
  readonly id: string
  readonly privateKey: KeyObject
  readonly document: Record<string, unknown>
}

function newKey(id: string, span: object = {}): Key {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64')
  const always = { active_from: '2026-01-01T00:00:00.000Z', retired_at: null, revoked_at: null }
  return { id, privateKey, document: { key_id: id, public_key: raw, status: 'active', ...always, ...span } }
}

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

function token(key: Key, claims: object, header: object = {}): string {
  const signed = `${part({ alg: 'EdDSA', kid: key.id, typ: 'receipt+jwt', ...header })}.${part(claims)}`
  return `${signed}.${sign(null, Buffer.from(signed), key.privateKey).toString('base64url')}`
}

interface Sold {
  readonly status: number | 'served'
  readonly reason: string | null
  readonly retryAfter: string | null
}

function openShop(options: Partial<SellerOptions<SellerRequest>> = {}) {
  const key = newKey('key_a')
  const state = {
    ...{ keys: [key] as Key[], reachable: true, documents: 0, verified: 0, agents: 0, refunded: 0 },
    ...{ from: BUYER, agent: SELLER },
  }
  const clock = { ms: START }
  const used = new Set<string>()
  const service: typeof fetch = async input => {
    const url = new URL(input instanceof Request ? input.url : input)
    if (url.pathname === '/.well-known/service-keys.json') {
      state.documents += 1
      if (!state.reachable) throw new TypeError('fetch failed')
      const keys = state.keys.map(({ document }) => document)
      return Response.json({ platform: 'batua', algorithm: 'Ed25519', public_key: '', key_id: '', keys })
    }
    if (url.pathname === '/v1/agents/me') {
      state.agents += 1
      return Response.json({ agent_id: state.agent, handle: 'weather' })
    }
    if (url.pathname.endsWith('/refund')) {
      state.refunded += 1
      return Response.json({})
    }
    if (url.pathname.endsWith('/verify')) state.verified += 1
    const nonce = url.searchParams.get('nonce') ?? ''
    const isRight = url.searchParams.get('expected_payer') === state.from && !used.has(nonce)
    if (isRight && url.searchParams.has('consume')) used.add(nonce)
    return Response.json({
      verified: isRight,
      ...(isRight ? {} : { reason: 'nonce_already_used' }),
      from: state.from,
      amount: '2.50',
    })
  }
  const client = createClient({
    baseUrl: 'http://service.test',
    agentKey: `agk_live_${'k'.repeat(43)}`,
    fetch: service,
  })
  const seller = createSellerIn<SellerRequest>(
    { client, payTo: '@Weather', amount: 2.5, verifyTimeoutMs: 2_000, ...options },
    { now: () => clock.ms, randomBytes: count => crypto.getRandomValues(new Uint8Array(count)) },
  )
  const request = (headers: Record<string, string> = {}): SellerRequest => ({
    method: 'GET',
    path: '/weather',
    header: name => headers[name] ?? null,
    address: '203.0.113.7',
  })
  const challenge = async () => {
    const { headers } = await seller.challenge(request(), request())
    return decodeChallenge(headers[CHALLENGE_HEADER] ?? '')?.nonce ?? ''
  }
  const claimsFor = (nonce: string) => ({
    ...{ iss: 'batua', payment_id: PAYMENT, from: BUYER, to: SELLER, to_handle: 'weather' },
    ...{ amount: 2.5, currency: 'INR', reference: nonce, created_at: new Date(clock.ms).toISOString() },
  })
  const show = async (
    nonce: string,
    receipt?: string,
    fromAgent = BUYER ?? '',
    handled = 200,
  ): Promise<Sold> => {
    const proof = { version: 1, transactionId: PAYMENT, fromAgent, nonce } as const
    const shown = request({
      'x-service-payment': encodeProof(receipt === undefined ? proof : { ...proof, receipt }),
    })
    const acceptance = await seller.accept(shown, shown)
    if (acceptance.kind === 'accepted') await acceptance.finish(handled)
    if (acceptance.kind !== 'refused') return { status: 'served', reason: null, retryAfter: null }
    const { status, body, headers } = acceptance.response
    const { error } = JSON.parse(body) as { error: { details: { reason?: string } } }
    return { status, reason: error.details.reason ?? null, retryAfter: headers['Retry-After'] ?? null }
  }
  return { key, state, clock, seller, challenge, claimsFor, show }
}

const SERVED = { status: 'served' }

test('a genuine receipt is accepted with one call to the service, and the keys are fetched once', async () => {
  const { key, state, challenge, claimsFor, show } = openShop()
  for (let sale = 1; sale <= 3; sale++) {
    const nonce = await challenge()
    expect(await show(nonce, token(key, claimsFor(nonce)))).toMatchObject(SERVED)
    expect(state).toMatchObject({ verified: sale, documents: 1, agents: 0 })
  }
})

test('a proof without a receipt is verified at the service', async () => {
  const { state, challenge, show } = openShop()
  expect(await show(await challenge())).toMatchObject(SERVED)
  expect(state).toMatchObject({ verified: 1, documents: 0 })
})

test('a seller that requires receipts refuses a proof without one, and nobody is asked', async () => {
  const { key, state, challenge, claimsFor, show } = openShop({ receiptRequired: true })
  const nonce = await challenge()
  expect(await show(nonce)).toMatchObject({ status: 402, reason: 'receipt_not_genuine' })
  expect(state).toMatchObject({ verified: 0, documents: 0, agents: 0 })
  expect(await show(nonce, token(key, claimsFor(nonce)))).toMatchObject(SERVED)
})

test.each<[string, object, string]>([
  ['of another service', { iss: 'other' }, 'receipt_not_genuine'],
  ['of another payment', { payment_id: 'pay_01kb7q3f8meg5tz4x9wc2n6a02' }, 'receipt_not_genuine'],
  ['in another currency', { currency: 'USD' }, 'receipt_not_genuine'],
  ['without an amount', { amount: '2.50' }, 'receipt_not_genuine'],
  ['to another payee', { to: OTHER, to_handle: 'other' }, 'not_payee'],
  ['of another payer', { from: OTHER }, 'payer_mismatch'],
  ['for another nonce', { reference: 'other' }, 'nonce_mismatch'],
  ['of a paisa less', { amount: 2.49 }, 'insufficient_amount'],
])('a genuine receipt %s is refused without a call to the service', async (_, change, reason) => {
  const { key, state, challenge, claimsFor, show } = openShop()
  const nonce = await challenge()
  const receipt = token(key, { ...claimsFor(nonce), ...change })
  expect(await show(nonce, receipt)).toMatchObject({ status: 402, reason })
  expect(state.verified).toBe(0)
})

test('a forged or damaged receipt is refused without a call to the service', async () => {
  const { key, state, challenge, claimsFor, show } = openShop()
  const nonce = await challenge()
  const good = token(key, claimsFor(nonce))
  const [head = '', body = '', signature = ''] = good.split('.')
  const forged = [
    token({ ...newKey('key_a') }, claimsFor(nonce)),
    `${head}.${body}.${signature.slice(0, -4)}AAAA`,
    `${head}.${part({ ...claimsFor(nonce), from: OTHER })}.${signature}`,
    `${head}.${body}.AAAA`,
    token(key, claimsFor(nonce), { alg: 'none' }),
    token(key, claimsFor(nonce), { typ: 'certificate+jwt' }),
    token(key, claimsFor(nonce), { kid: 7 }),
    'a.b.c',
  ]
  for (const receipt of forged) {
    expect(await show(nonce, receipt), receipt).toMatchObject({ status: 402, reason: 'receipt_not_genuine' })
  }
  expect(state.verified).toBe(0)
  expect(await show(nonce, good)).toMatchObject(SERVED)
})

test('a receipt is accepted only from its payer', async () => {
  const { key, state, challenge, claimsFor, show } = openShop()
  const nonce = await challenge()
  const receipt = token(key, claimsFor(nonce))
  expect(await show(nonce, receipt, OTHER)).toMatchObject({ status: 402, reason: 'payer_mismatch' })
  expect(await show(await challenge(), receipt)).toMatchObject({ status: 402, reason: 'nonce_mismatch' })
  expect(state.verified).toBe(0)
})

test('an unknown key causes a new fetch of the key document, at most once in ten seconds', async () => {
  const { state, clock, challenge, claimsFor, show } = openShop()
  const next = newKey('key_b')
  const nonce = await challenge()
  const receipt = token(next, claimsFor(nonce))
  const unknown = { status: 503, retryAfter: '10' }
  for (let tries = 0; tries < 50; tries++) expect(await show(nonce, receipt)).toMatchObject(unknown)
  expect(state).toMatchObject({ documents: 1, verified: 0 })
  state.keys.push(next)
  clock.ms += 10_000
  expect(await show(nonce, receipt)).toMatchObject(SERVED)
  expect(state).toMatchObject({ documents: 2, verified: 1 })
})

test('without the key document the service verifies, within the budgets', async () => {
  const { key, state, challenge, claimsFor, show } = openShop()
  state.reachable = false
  const nonce = await challenge()
  expect(await show(nonce, token(key, claimsFor(nonce)))).toMatchObject(SERVED)
  expect(state).toMatchObject({ verified: 1, documents: 1 })
})

test('a receipt signed by a revoked key is verified at the service', async () => {
  const { key, state, challenge, claimsFor, show } = openShop()
  state.keys = [{ ...key, document: { ...key.document, revoked_at: '2026-06-01T00:00:00.000Z' } }]
  const nonce = await challenge()
  expect(await show(nonce, token(key, claimsFor(nonce)))).toMatchObject(SERVED)
  expect(state.verified).toBe(1)
})

test.each(['2025-12-31T23:59:59.999Z', '2027-01-01T00:00:00.001Z', null])(
  'a receipt signed outside its key’s validity (%s) is verified at the service',
  async created_at => {
    const { key, state, challenge, claimsFor, show } = openShop()
    state.keys = [{ ...key, document: { ...key.document, retired_at: '2027-01-01T00:00:00.000Z' } }]
    const nonce = await challenge()
    expect(await show(nonce, token(key, { ...claimsFor(nonce), created_at }))).toMatchObject(SERVED)
    expect(state.verified).toBe(1)
  },
)

test('a key that is revoked later is refused within five minutes', async () => {
  const { key, state, clock, challenge, claimsFor, show } = openShop()
  const first = await challenge()
  await show(first, token(key, claimsFor(first)))
  clock.ms += 300_001
  const second = await challenge()
  await show(second, token(key, claimsFor(second)))
  expect(state.documents).toBe(2)
})

test('after a fall of the price the quoted price in the receipt is accepted, without a second call', async () => {
  let price = '2.50'
  const { key, state, challenge, claimsFor, show } = openShop({ amount: () => price })
  const nonce = await challenge()
  price = '2.00'
  expect(await show(nonce, token(key, claimsFor(nonce)))).toMatchObject(SERVED)
  expect(state.verified).toBe(1)
  const other = await challenge()
  const receipt = token(key, { ...claimsFor(other), amount: 1.99 })
  expect(await show(other, receipt)).toMatchObject({ status: 402, reason: 'insufficient_amount' })
  price = '1.00'
  expect(await show(other, receipt)).toMatchObject({ status: 402, reason: 'nonce_not_ours' })
})

test('sales continue during a thousand invented proofs a minute, of which few reach the service', async () => {
  const { key, state, clock, challenge, claimsFor, show } = openShop()
  const thief = newKey('key_a')
  for (let second = 0; second < 60; second++) {
    clock.ms += 1_000
    for (let proof = 0; proof < 17; proof++) {
      const nonce = await challenge()
      const invented = proof % 2 === 0 ? token(thief, claimsFor(nonce)) : undefined
      await show(nonce, invented, OTHER)
    }
    const nonce = await challenge()
    expect(await show(nonce, token(key, claimsFor(nonce)))).toMatchObject(SERVED)
  }
  // Sixty honest ones, and of the invented ones only unsigned ones: a hundred of that address.
  expect(state.verified).toBe(60 + 100)
})

describe('a seller with a store of used nonces', () => {
  const openOwnShop = (options: Partial<SellerOptions<SellerRequest>> = {}) =>
    openShop({ nonces: memoryNonceStore(), ...options })

  test('calls the service once for the keys and its own agent, and not about a genuine receipt', async () => {
    const { key, state, challenge, claimsFor, show } = openOwnShop()
    for (let sale = 1; sale <= 3; sale++) {
      const nonce = await challenge()
      expect(await show(nonce, token(key, claimsFor(nonce)))).toMatchObject(SERVED)
    }
    expect(state).toMatchObject({ verified: 0, documents: 1, agents: 1 })
  })

  test('serves one of twelve concurrent requests with the same receipt, and none later', async () => {
    const { key, state, challenge, claimsFor, show } = openOwnShop()
    const nonce = await challenge()
    const receipt = token(key, claimsFor(nonce))
    const shown = await Promise.all(Array.from({ length: 12 }, () => show(nonce, receipt)))
    expect(shown.filter(({ status }) => status === 'served')).toHaveLength(1)
    expect(shown.filter(({ reason }) => reason === 'nonce_already_used')).toHaveLength(11)
    expect(await show(nonce, receipt)).toMatchObject({ status: 402, reason: 'nonce_already_used' })
    expect(state.verified).toBe(0)
  })

  test('has a proof without a receipt verified at the service', async () => {
    const { state, challenge, show } = openOwnShop()
    expect(await show(await challenge())).toMatchObject(SERVED)
    expect(state).toMatchObject({ verified: 1, agents: 0 })
  })

  test('has a receipt verified at the service if another agent than its own was paid', async () => {
    const { key, state, challenge, claimsFor, show } = openOwnShop({ onError: () => {} })
    state.agent = OTHER
    const nonce = await challenge()
    await show(nonce, token(key, claimsFor(nonce)))
    expect(state.verified).toBe(1)
  })

  test('sells for a quarter of an hour without the service, and then has receipts verified', async () => {
    const { key, state, clock, challenge, claimsFor, show } = openOwnShop()
    const sell = async () => {
      const nonce = await challenge()
      return show(nonce, token(key, claimsFor(nonce)))
    }
    await sell()
    state.reachable = false
    for (let minute = 1; minute <= 15; minute++) {
      clock.ms += 60_000
      expect(await sell()).toMatchObject(SERVED)
    }
    expect(state.verified).toBe(0)
    clock.ms += 1
    await sell()
    expect(state.verified).toBe(1)
    state.reachable = true
    clock.ms += 10_000
    expect(await sell()).toMatchObject(SERVED)
    expect(state.verified).toBe(1)
  })

  test('waits for new keys after a pause, and does not rely on a key that was revoked meanwhile', async () => {
    const { key, state, clock, challenge, claimsFor, show } = openOwnShop()
    const first = await challenge()
    await show(first, token(key, claimsFor(first)))
    state.keys = [{ ...key, document: { ...key.document, revoked_at: new Date(clock.ms).toISOString() } }]
    clock.ms += 3_600_000
    const nonce = await challenge()
    await show(nonce, token(key, claimsFor(nonce)))
    expect(state).toMatchObject({ documents: 2, verified: 1 })
  })

  test('refunds a failed request, and its receipt is not accepted again', async () => {
    const { key, state, challenge, claimsFor, show } = openOwnShop()
    const nonce = await challenge()
    const receipt = token(key, claimsFor(nonce))
    await show(nonce, receipt, BUYER, 500)
    expect(state.refunded).toBe(1)
    expect(await show(nonce, receipt)).toMatchObject({ status: 402, reason: 'nonce_already_used' })
    expect(state).toMatchObject({ verified: 0, refunded: 1 })
  })

  test('accepts the quoted price in a receipt after a fall of the price, and no lower one', async () => {
    let price = '2.50'
    const { key, state, challenge, claimsFor, show } = openOwnShop({ amount: () => price })
    const [dear, other] = [await challenge(), await challenge()]
    price = '2.00'
    expect(await show(dear, token(key, claimsFor(dear)))).toMatchObject(SERVED)
    const less = token(key, { ...claimsFor(other), amount: 2 })
    expect(await show(other, less)).toMatchObject({ status: 402, reason: 'nonce_not_ours' })
    price = '3.00'
    const late = token(key, claimsFor(other))
    expect(await show(other, late)).toMatchObject({ status: 402, reason: 'insufficient_amount' })
    expect(state).toMatchObject({ verified: 0, refunded: 0 })
  })
})
