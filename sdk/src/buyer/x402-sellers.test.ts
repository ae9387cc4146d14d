import { expect, test } from 'vitest'
import { base64FromText, textFromBase64 } from '../protocol/base64.ts'
import { decodeChallenge, encodeAuthorizationProof, encodeProof } from '../protocol/headers.ts'
import { setAsideTermsOf, speaking } from './foreign-sellers.ts'
import { x402Sellers } from './x402-sellers.ts'

const SERVICE = 'https://batua.example'
const NONCES = ['1', '2', '3'].map(n => `0b54f0c2-7a0e-8a52-9a51-4a6c3a1f0d7${n}`)

function priceOf(amount: string, nonce = NONCES[0], service = SERVICE) {
  const extra = { nonce, service, paymentFlow: 'upfront' }
  const price = { scheme: 'exact', network: 'batua:inr', amount, asset: 'INR', payTo: 'weather', extra }
  return { x402Version: 2, resource: { url: 'https://shop.example/page' }, accepts: [price] }
}

function respond(status: number, fields: Readonly<Record<string, object>> = {}): Response {
  const headers = Object.entries(fields).map(([name, value]): [string, string] => [
    name,
    base64FromText(JSON.stringify(value)),
  ])
  return new Response('body', { status, headers })
}

function open(...responses: Response[]) {
  const sent: Headers[] = []
  const buy = speaking(
    async (_input, init) => {
      sent.push(new Headers(init?.headers))
      return responses.shift() ?? respond(500)
    },
    x402Sellers(async origin => origin === SERVICE),
  )
  const show = (nonce = NONCES[0] ?? '') => {
    const fromAgent = 'agt_01m7yptc5he00870yqczhzdbjy'
    const proof = { version: 1, transactionId: 'pay_01m7yptcm9e008qzdncftyawbt', fromAgent, nonce } as const
    return buy('https://shop.example/page', { headers: { 'x-service-payment': encodeProof(proof) } })
  }
  const paymentIn = (at: number) =>
    JSON.parse(textFromBase64(sent[at]?.get('payment-signature') ?? '') ?? 'null') as {
      accepted: { amount: string; extra: object }
      payload: object
    } | null
  return { buy, show, sent, paymentIn }
}

test('a price of x402 becomes a challenge, and the proof for it becomes x402’s payment', async () => {
  const { buy, show, paymentIn, sent } = open(
    respond(402, { 'payment-required': priceOf('250') }),
    respond(200),
  )
  const priced = await buy('https://shop.example/page')
  expect(decodeChallenge(priced.headers.get('x-service-pay') ?? '')).toEqual({
    ...{ payTo: 'weather', amount: '2.50', asset: 'INR', nonce: NONCES[0] },
  })
  expect((await show()).status).toBe(200)
  expect(sent).toHaveLength(2)
  expect(paymentIn(1)).toMatchObject({ accepted: priceOf('250').accepts[0], payload: { nonce: NONCES[0] } })
})

test('nonces distinguish two prices of one address', async () => {
  const first = respond(402, { 'payment-required': priceOf('250') })
  const second = respond(402, { 'payment-required': priceOf('300', NONCES[1]) })
  const { buy, show, paymentIn } = open(first, second, respond(200), respond(200))
  await buy('https://shop.example/page', { method: 'POST', body: 'short' })
  await buy('https://shop.example/page', { method: 'POST', body: 'long' })
  await show(NONCES[0])
  await show(NONCES[1])
  expect([paymentIn(2)?.accepted.amount, paymentIn(3)?.accepted.amount]).toEqual(['250', '300'])
})

test('a payment of an earlier process is shown with the paid nonce, after the price was requested again', async () => {
  const { show, paymentIn, sent } = open(
    respond(402, { 'payment-required': priceOf('250', NONCES[2]) }),
    respond(200),
  )
  expect((await show()).status).toBe(200)
  expect(sent[0]?.has('payment-signature')).toBe(false)
  expect(paymentIn(1)).toMatchObject({
    accepted: { extra: { nonce: NONCES[0] } },
    payload: { nonce: NONCES[0] },
  })
})

test.each<[number, string]>([
  [402, 'nonce_already_used'],
  [402, 'insufficient_amount'],
  [503, 'Facilitator settle failed (503)'],
  [503, 'unexpected_settle_error'],
])('after a payment the status is %i if the seller says: %s', async (status, errorReason) => {
  const { show } = open(
    respond(402, { 'payment-required': priceOf('250') }),
    respond(402, { 'payment-response': { success: false, errorReason, transaction: '' } }),
  )
  expect((await show()).status).toBe(status)
})

test('a price in another currency, at another service, or an invalid one is returned unchanged', async () => {
  const dollars = { ...priceOf('250'), accepts: [{ ...priceOf('250').accepts[0], network: 'eip155:8453' }] }
  for (const required of [dollars, priceOf('250', NONCES[0], 'https://other.example'), { x402Version: 2 }]) {
    const response = respond(402, { 'payment-required': required })
    const { buy } = open(response)
    expect(await buy('https://shop.example/page')).toBe(response)
  }
})

test('a seller of pay-per-call gets its own header and no other', async () => {
  const { show, sent } = open(respond(200))
  expect((await show()).status).toBe(200)
  expect(sent.map(headers => headers.has('payment-signature'))).toEqual([false])
})

test('a price keeps the address that it came from', async () => {
  const response = respond(402, { 'payment-required': priceOf('250') })
  Object.defineProperty(response, 'url', { value: 'https://elsewhere.example/page' })
  const { buy } = open(response)
  expect((await buy('https://shop.example/page')).url).toBe('https://elsewhere.example/page')
})

test('a price without a flow is set aside, for twice its time, and its proof is an authorization', async () => {
  const required = (extra: object) => ({
    ...priceOf('250'),
    accepts: [{ ...priceOf('250').accepts[0], maxTimeoutSeconds: 300, extra }],
  })
  const { paymentFlow: _, ...extra } = priceOf('250').accepts[0]?.extra ?? {}
  const { buy, sent, paymentIn } = open(respond(402, { 'payment-required': required(extra) }), respond(200))
  const response = await buy('https://shop.example/page')
  expect(setAsideTermsOf(response)).toEqual({ setAsideSeconds: 600 })
  const authorization = 'eyJ0.eyJq.c2ln'
  const fromAgent = 'agt_01m7yptc5he00870yqczhzdbjy'
  const proof = { version: 1, authorization, fromAgent, nonce: NONCES[0] ?? '' } as const
  const headers = { 'x-service-payment': encodeAuthorizationProof(proof) }
  expect((await buy('https://shop.example/page', { headers })).status).toBe(200)
  expect(paymentIn(1)?.payload).toEqual(proof)
  expect(sent).toHaveLength(2)
})

test('a proof is shown only for a price of its kind', async () => {
  const { show, sent } = open(
    respond(402, {
      'payment-required': {
        ...priceOf('250'),
        accepts: [
          {
            ...priceOf('250').accepts[0],
            scheme: 'upto',
            extra: { ...priceOf('250').accepts[0]?.extra, paymentFlow: 'authorization' },
          },
        ],
      },
    }),
  )
  expect((await show()).status).toBe(402)
  expect(sent).toHaveLength(1)
})
