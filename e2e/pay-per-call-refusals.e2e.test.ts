import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type PaymentProof, PROOF_HEADER, routes } from '@batua/contract'
import { createClient } from '@batua/sdk'
import type { SellerOptions } from '@batua/sdk/node'
import pMap from 'p-map'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Headers, request } from './src/api.ts'
import type { Agent } from './src/network.ts'
import { type CountingShop, openCountingShop } from './src/pay-per-call-counting-shop.ts'
import { openServiceProxy, type ProxyState } from './src/pay-per-call-service-proxy.ts'
import { openPayPerCallStage, type PayPerCallStage } from './src/pay-per-call-stage.ts'
import { challengeIn, proofHeader, reasonIn, toBase64 } from './src/pay-per-call-wire.ts'
import { exchangeBytes, repliesIn, requestText } from './src/raw-http.ts'

const PRICE = 2
const AT_ONCE = 64

let stage: PayPerCallStage
let other: Agent
let shop: CountingShop
const shops: CountingShop[] = []

beforeAll(async () => {
  stage = await openPayPerCallStage()
  other = await stage.network.agent(stage.owner)
  shop = await open()
})
afterAll(async () => {
  await Promise.all(shops.map(each => each.close()))
  await stage.close()
})

/** A shop of the payee, its own or another one with the same secret. */
async function open(options: Partial<SellerOptions<IncomingMessage>> = {}): Promise<CountingShop> {
  const { client, payee } = stage
  const opened = await openCountingShop({ client, payTo: payee.handle, amount: PRICE, ...options })
  shops.push(opened)
  return opened
}

const ask = (at: CountingShop, headers: Headers = {}, path = '/', method = 'GET') =>
  request(at.address, method, path, { headers })
const show = (proof: PaymentProof, at = shop, path = '/', method = 'GET') =>
  ask(at, proofHeader(proof), path, method)
const quote = async (at = shop, path = '/') => challengeIn(await ask(at, {}, path))

/** A proof for a shop's current price, not sent yet. */
const buy = async (at = shop, path = '/') => stage.pay(await quote(at, path))

async function payBy(payer: Agent, to: Agent, amount: number, nonce: string): Promise<PaymentProof> {
  const { payment_id } = await stage.network.pay(payer, to, amount, { reference: nonce })
  return { version: 1, transactionId: payment_id ?? '', fromAgent: payer.id, nonce }
}

const REFUSALS: Readonly<Record<string, readonly [reason: string, make: () => Promise<PaymentProof>]>> = {
  'no payment at all': [
    'transaction_not_found',
    async () => ({ ...(await buy()), transactionId: 'pay_01kb7q3f8meg5tz4x9wc2n6a01' }),
  ],
  'a payment that was given back': [
    'transaction_not_completed',
    async () => {
      const proof = await buy()
      const params = { payment_id: proof.transactionId }
      await stage.api.ok(routes.refundPayment, { params, headers: stage.payee.headers, body: {} })
      return proof
    },
  ],
  'a payment to another': ['not_payee', async () => payBy(stage.buyer, other, PRICE, (await quote()).nonce)],
  'a payment of a paisa less': [
    'insufficient_amount',
    async () => payBy(stage.buyer, stage.payee, PRICE - 0.01, (await quote()).nonce),
  ],
  'a payment for another challenge': [
    'nonce_mismatch',
    async () => ({ ...(await buy()), nonce: (await quote()).nonce }),
  ],
  'a payment by another': ['payer_mismatch', async () => ({ ...(await buy()), fromAgent: other.id })],
  'a payment for a nonce of nobody': [
    'nonce_not_ours',
    () => payBy(stage.buyer, stage.payee, PRICE, randomUUID()),
  ],
  'a payment for another seller’s nonce': [
    'nonce_not_ours',
    async () => buy(await open({ secret: 'the secret of another seller' })),
  ],
  'a payment for another path': ['nonce_not_ours', () => buy(shop, '/cheaper')],
  'a payment for another query': ['nonce_not_ours', () => buy(shop, '/?city=Pune')],
  'a payment for another method': [
    'nonce_not_ours',
    async () => stage.pay(challengeIn(await ask(shop, {}, '/', 'POST'))),
  ],
}

test.each(Object.entries(REFUSALS))(
  'the seller serves nothing for this proof: %s',
  async (_name, [reason, make]) => {
    const before = shop.served()
    const reply = await show(await make())
    expect(reasonIn(reply)).toBe(reason)
    expect(challengeIn(reply)).toMatchObject({ payTo: stage.payee.handle, amount: '2.00' })
    expect(shop.served()).toBe(before)
  },
)

test('a payment to the verifying agent is not accepted if another payee is required', async () => {
  const others = await open({ payTo: other.handle })
  expect(reasonIn(await show(await buy(others), others))).toBe('payee_mismatch')
})

/** The minimum fee, which a refund does not return. */
const FEE = 1
const wealth = async () => (await stage.network.balance(stage.buyer)).available

test('a seller whose payTo is another agent than its client’s gets an error, and others do not', async () => {
  const reported: unknown[] = []
  const onError = (error: unknown) => reported.push(error)
  const honest = await open({ onError })
  const proof = await payBy(stage.buyer, other, PRICE, (await quote(honest)).nonce)
  expect(reasonIn(await show(proof, honest))).toBe('not_payee')
  const shouted = await open({ payTo: `@${stage.payee.handle.toUpperCase()}`, onError })
  const stray = await payBy(stage.buyer, other, PRICE, (await quote(shouted)).nonce)
  expect(reasonIn(await show(stray, shouted))).toBe('not_payee')
  const confused = await open({ payTo: other.handle, onError })
  const paid = await payBy(stage.buyer, other, PRICE, (await quote(confused)).nonce)
  expect(reasonIn(await show(paid, confused))).toBe('not_payee')
  await expect.poll(() => reported.map(String)).toEqual([expect.stringContaining(`payTo is ${other.handle}`)])
})

test('a payment after its challenge has expired is not served and is refunded once', async () => {
  const hasty = await open({ nonceTtlMs: 1 })
  const before = await wealth()
  const proof = await buy(hasty)
  const reply = await show(proof, hasty)
  expect([reasonIn(reply), reply.text]).toEqual(['nonce_expired', expect.stringContaining('given back')])
  expect(await wealth()).toBe(before - FEE)
  expect(reasonIn(await show(proof, hasty))).toBe('transaction_not_completed')
})

test('a payment that waits for approval is served only after the approval, and once', async () => {
  const { api, network, owner } = stage
  const minor = await network.fundedAgent(owner, { require_human_approval_above: 1 })
  const { nonce } = await quote()
  const { approval_id = '' } = await network.pay(minor, stage.payee, PRICE, { reference: nonce })
  const proof = { version: 1, transactionId: approval_id, fromAgent: minor.id, nonce } as const
  expect(reasonIn(await show(proof))).toBe('invalid_payment_header')
  const headers = await network.login(owner)
  const { payment_id } = await api.ok(routes.approve, { params: { approval_id }, headers })
  expect((await show({ ...proof, transactionId: payment_id ?? '' })).status).toBe(200)
})

test('a buyer that presents another’s payment is not served and does not invalidate it', async () => {
  const proof = await buy()
  expect(reasonIn(await show({ ...proof, fromAgent: other.id }))).toBe('payer_mismatch')
  expect((await show(proof)).status).toBe(200)
})

const GARBAGE: Readonly<Record<string, string>> = {
  nothing: '',
  'no base64': '!!!!',
  'no JSON': Buffer.from('{"version":1').toString('base64'),
  'no UTF-8': Buffer.from([0x7b, 0xff, 0x7d]).toString('base64'),
  null: toBase64(null),
  'a list': toBase64([1]),
  'no fields': toBase64({}),
  'a version that is not ours': toBase64({ ...nobody(), version: 2 }),
  'a version that is a string': toBase64({ ...nobody(), version: '1' }),
  'a nonce that is none': toBase64({ ...nobody(), nonce: 'nonce' }),
  'a payment’s address for its id': toBase64({ ...nobody(), transactionId: '../../v1/agents' }),
  'prototype tricks': Buffer.from('{"__proto__":{"version":1}}').toString('base64'),
  'base64 without its padding': toBase64(nobody()).replaceAll('=', ''),
  'more than a proof can need': toBase64({ ...nobody(), more: 'x'.repeat(8_192) }),
}

function nobody(): PaymentProof {
  const [transactionId, fromAgent] = ['pay_01kb7q3f8meg5tz4x9wc2n6a01', 'agt_01kb7q3f8meg5tz4x9wc2n6a01']
  return { version: 1, transactionId, fromAgent, nonce: '0b54f0c2-7a0e-8a52-9a51-4a6c3a1f0d7e' }
}

test('a malformed proof gets a 402 that says so', async () => {
  for (const [name, text] of Object.entries(GARBAGE)) {
    expect.soft(reasonIn(await ask(shop, { [PROOF_HEADER]: text })), name).toBe('invalid_payment_header')
  }
})

test('two proofs in one request count as none', async () => {
  const line = `${PROOF_HEADER}: ${toBase64(await buy())}`
  const text = await exchangeBytes(shop.port, requestText('GET / HTTP/1.1', [line, line]))
  expect(repliesIn(text).map(reasonIn)).toEqual(['invalid_payment_header'])
})

test('a proof with any character changed is refused, and the original stays valid', async () => {
  const proof = await buy()
  const before = shop.served()
  const tampered = eachChanged(toBase64(proof), ['A', 'B'])
  const statuses = await pMap(
    tampered,
    async text => {
      const { status } = await ask(shop, { [PROOF_HEADER]: text })
      return status
    },
    { concurrency: 16 },
  )
  expect(new Set(statuses)).toEqual(new Set([402]))
  for (const [field, [prefix, reasons]] of Object.entries(FIELDS)) {
    const value = proof[field as keyof typeof FIELDS].slice(prefix.length)
    const changed = eachChanged(value, ['0', '1']).map(text => ({ ...proof, [field]: prefix + text }))
    for (const reason of await pMap(changed, async each => reasonIn(await show(each)), { concurrency: 16 })) {
      expect(reasons).toContain(reason)
    }
  }
  expect(shop.served()).toBe(before)
  expect((await show(proof)).status).toBe(200)
})

/** The fields of a proof with their prefixes, and the refusal of another value in the same form. */
const FIELDS = {
  transactionId: ['pay_', ['transaction_not_found']],
  fromAgent: ['agt_', ['payer_mismatch']],
  // Its first digits are a time.
  nonce: ['', ['nonce_not_ours', 'nonce_expired', 'invalid_payment_header']],
} as const satisfies Partial<Record<keyof PaymentProof, readonly [string, readonly string[]]>>

/** Copies of a text, each with one character replaced by the first of these, or by the other if it is equal. */
function eachChanged(text: string, [one, other]: readonly [string, string]): string[] {
  return Array.from(text, (character, at) => {
    const another = character === one ? other : one
    return text.slice(0, at) + another + text.slice(at + 1)
  })
}

test(`one payment shown ${AT_ONCE} times at once to two shops is served once by one`, async () => {
  const replica = await open()
  const before = shop.served()
  const proof = await buy()
  const replies = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, at) => show(proof, at % 2 === 0 ? shop : replica)),
  )
  const refused = replies.filter(({ status }) => status === 402)
  expect(replies.filter(({ status }) => status === 200).length).toBe(1)
  expect(refused.map(reasonIn)).toEqual(Array(AT_ONCE - 1).fill('nonce_already_used'))
  expect(shop.served() - before + replica.served()).toBe(1)
})

test('an OPTIONS request that looks like a preflight is not served', async () => {
  const headers = { origin: 'https://shop.example', 'access-control-request-method': 'GET' }
  const before = shop.served()
  expect((await ask(shop, headers, '/', 'OPTIONS')).status).toBe(402)
  expect(shop.served()).toBe(before)
})

describe('a price that changes', () => {
  let price: number
  let moving: CountingShop

  beforeAll(async () => {
    moving = await open({ amount: () => price })
  })

  test('and falls after the payment: the quoted price is served', async () => {
    price = 8
    const proof = await buy(moving)
    price = 5
    expect((await quote(moving)).amount).toBe('5.00')
    const reply = await show(proof, moving)
    expect([reply.status, reply.text]).toEqual([200, '8.00'])
    expect((await show(proof, moving)).status).toBe(402)
  })

  test('and rises after the payment: nothing is served, and the payment is refunded', async () => {
    price = 5
    const before = await wealth()
    const proof = await buy(moving)
    price = 8
    const served = moving.served()
    expect(reasonIn(await show(proof, moving))).toBe('insufficient_amount')
    expect([moving.served(), await wealth()]).toEqual([served, before - FEE])
    price = 5
    expect(reasonIn(await show(proof, moving))).toBe('transaction_not_completed')
  })

  test('does not match a payment that was made without a challenge', async () => {
    price = 5
    const { nonce } = await quote(moving)
    price = 8
    const proof = await payBy(stage.buyer, stage.payee, 4, nonce)
    expect(reasonIn(await show(proof, moving))).toBe('nonce_not_ours')
  })

  test('stays as quoted only until the challenge expires', async () => {
    price = 5
    const hasty = await open({ amount: () => price, nonceTtlMs: 1 })
    const proof = await buy(hasty)
    price = 8
    expect(reasonIn(await show(proof, hasty))).toBe('nonce_expired')
  })
})

const ENVELOPE = '{"error":{"code":"rate_limit_exceeded","message":"Too many requests","request_id":"r"}}'
const TROUBLES: Readonly<Record<string, ProxyState>> = {
  'is not there': 'closed',
  'does not response': 'slow',
  'responses into the void': 'deaf',
  'has had enough': { status: 429, headers: { 'retry-after': '7' }, body: ENVELOPE },
  'has failed': {
    status: 500,
    body: '{"error":{"code":"internal_error","message":"Failed","request_id":"r"}}',
  },
  'is shutting down': { status: 503, body: '<html>down for maintenance</html>' },
  'talks nonsense': { status: 200, body: 'verified' },
}

describe.concurrent('a service that', () => {
  test.each(Object.entries(TROUBLES))(
    '%s delays a paid request, and no money is lost',
    async (_name, trouble) => {
      const line = await openServiceProxy(stage.api.address)
      const client = createClient({ baseUrl: line.address, agentKey: stage.payee.key })
      const far = await open({ client, verifyTimeoutMs: 400, onError: () => undefined })
      const proof = await buy(far)
      await line.become(trouble)
      for (const reply of await Promise.all([show(proof, far), show(proof, far)])) {
        expect(reply.status).toBe(503)
        expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
        expect(reply.headers.get('x-service-pay')).toBeNull()
      }
      expect((await quote(far)).amount).toBe('2.00')
      await line.become('open')
      expect((await show(proof, far)).status).toBe(200)
      expect(reasonIn(await show(proof, far))).toBe('nonce_already_used')
      expect(far.served()).toBe(1)
      await line.close()
    },
  )
})
