import { createServer } from 'node:http'
import { createClient } from '@batua/sdk'
import { requirePayment as expressPayment } from '@batua/sdk/express'
import { requirePayment as fastifyPayment } from '@batua/sdk/fastify'
import { requirePayment as honoPayment } from '@batua/sdk/hono'
import { createSeller } from '@batua/sdk/seller'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import { beforeEach, expect, test, vi } from 'vitest'
import { request } from './src/api.ts'
import { openShop, type ShopOptions } from './src/pay-per-call-shop.ts'
import { SHOPS } from './src/pay-per-call-shops.ts'
import { challengeIn, proofHeader, reasonIn } from './src/pay-per-call-wire.ts'
import { requestText, sendAndReset } from './src/raw-http.ts'

const BUYER = 'agt_01kb7q3f8meg5tz4x9wc2n6a01'
const PAYMENT = 'pay_01kb7q3f8meg5tz4x9wc2n6a01'

const VERIFIED = { verified: true, from: BUYER, amount: '12.50', asset: 'INR' }

/** The requests to the service: the last part of each path. */
let asked: string[]
/** The delay of its responses. */
let patience: Promise<void>
/** The delay of a refund. */
let refundPatience: Promise<void>

/** A fake service that verifies every payment, and that can be slow while a buyer closes the connection. */
const service: typeof fetch = async (input, init) => {
  const { pathname } = new URL(new Request(input, init).url)
  asked.push(pathname.slice(pathname.lastIndexOf('/') + 1))
  await patience
  if (pathname.endsWith('/refund')) await refundPatience
  return Response.json(VERIFIED)
}
const selling: ShopOptions = {
  client: createClient({ baseUrl: 'http://service.invalid', agentKey: 'agk_live_stand-in', fetch: service }),
  payTo: 'weather-bot',
}

beforeEach(() => {
  asked = []
  patience = Promise.resolve()
  refundPatience = Promise.resolve()
})

function proofOf(nonce: string) {
  return proofHeader({ version: 1, transactionId: PAYMENT, fromAgent: BUYER, nonce })
}

test.each(SHOPS)(
  'a buyer that disconnects while %s checks its payment is not served, and is refunded',
  async (_name, open) => {
    const onWeather = vi.fn<() => void>()
    const shop = await open({ ...selling, onWeather })
    const { nonce } = challengeIn(await request(shop.address, 'GET', '/shop/weather'))
    patience = new Promise(resolve => {
      shop.server.once('connection', socket => socket.once('close', () => resolve()))
    })
    const [[name, value] = ['', '']] = Object.entries(proofOf(nonce))
    const { port } = new URL(shop.address)
    await sendAndReset(Number(port), requestText('GET /shop/weather HTTP/1.1', [`${name}: ${value}`]))
    await expect.poll(() => asked).toEqual(['verify', 'refund'])
    expect(onWeather).not.toHaveBeenCalled()
    await shop.close()
  },
)

test('express requests the payment for the original path, whatever router handles it', async () => {
  const sell = express
    .Router()
    .get('/x', expressPayment({ ...selling, amount: 12.5 }), (_request, response) => {
      response.send('sold')
    })
  const shop = await openShop(createServer(express().use('/a', sell).use('/b', sell)))
  const { nonce } = challengeIn(await request(shop.address, 'GET', '/a/x'))
  const at = (path: string) => request(shop.address, 'GET', path, { headers: proofOf(nonce) })
  expect(reasonIn(await at('/b/x'))).toBe('nonce_not_ours')
  expect((await at('/a/x')).text).toBe('sold')
  await shop.close()
})

async function textOf(response: Response) {
  return { status: response.status, headers: response.headers, text: await response.text(), body: undefined }
}

test('hono works without a server, and has refunded the payment before it returns a failed response', async () => {
  const app = new Hono()
  const paywall = honoPayment({ ...selling, amount: 12.5 })
  // Hono ignores what is not an Error.
  app.get('/', paywall, () => Promise.reject('broken'))
  const reply = async (headers = {}) => textOf(await app.request('/', { headers }))
  const { nonce } = challengeIn(await reply())
  await expect(reply(proofOf(nonce))).rejects.toBe('broken')
  expect(asked).toEqual(['verify', 'refund'])
})

test('hono delays a failed response no longer than the request’s deadline, and the platform waits for the refund', async () => {
  const app = new Hono()
  const paywall = honoPayment({ ...selling, amount: 12.5, verifyTimeoutMs: 50 })
  app.get('/', paywall, c => c.text('failed', 500))
  const { nonce } = challengeIn(await textOf(await app.request('/')))
  const held = Promise.withResolvers<void>()
  refundPatience = held.promise
  const waitUntil = vi.fn<(work: Promise<unknown>) => void>()
  const platform = { waitUntil, passThroughOnException: () => undefined, props: {} }
  const response = await app.request('/', { headers: proofOf(nonce) }, {}, platform)
  expect([response.status, asked]).toEqual([500, ['verify', 'refund']])
  const [work] = waitUntil.mock.calls[0] ?? []
  held.resolve()
  await expect(work).resolves.toBeUndefined()
  const again = challengeIn(await textOf(await app.request('/')))
  refundPatience = new Promise(() => {})
  expect((await app.request('/', { headers: proofOf(again.nonce) })).status).toBe(500)
})

test('express works with a time-out middleware that has responded already', async () => {
  const paywall = expressPayment({ ...selling, amount: 12.5 })
  const next = vi.fn<() => void>()
  let passed: Promise<void> = Promise.resolve()
  const server = createServer((incoming, response) => {
    response.writeHead(503).end()
    const more = { originalUrl: '/', params: {}, query: {} }
    passed = paywall(Object.assign(incoming, more), response, next)
  })
  const shop = await openShop(server)
  const seller = createSeller({ ...selling, amount: 12.5 })
  const question = { method: 'GET', path: '/', header: () => null }
  const { payment } = JSON.parse((await seller.challenge(question, null)).body) as {
    payment: { nonce: string }
  }
  for (const headers of [{}, proofOf(payment.nonce)]) {
    expect((await request(shop.address, 'GET', '/', { headers })).status).toBe(503)
    await passed
  }
  expect(next).not.toHaveBeenCalled()
  expect(asked).toEqual(['verify', 'refund'])
  await shop.close()
})

test('hono serves nothing to a request that looks like a preflight', async () => {
  const app = new Hono().all('/', honoPayment({ ...selling, amount: 12.5 }), c => c.text('sold'))
  const headers = { 'access-control-request-method': 'GET' }
  expect((await app.request('/', { method: 'OPTIONS', headers })).status).toBe(402)
})

test('fastify sends the 402 unchanged, whatever the route’s response schema allows', async () => {
  const app = fastify()
  const response = { '4xx': { type: 'object', properties: {} } }
  const preHandler = fastifyPayment({ ...selling, amount: 12.5 })
  app.get('/', { preHandler, schema: { response } }, (_request, reply) => reply.send('sold'))
  const { statusCode, body } = await app.inject('/')
  expect([statusCode, JSON.parse(body)]).toMatchObject([402, { payment: { amount: '12.50' } }])
})
