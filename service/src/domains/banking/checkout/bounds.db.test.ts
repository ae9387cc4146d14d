import { afterAll, beforeEach, expect } from 'vitest'
import type { PaymentGateway } from '../../../gateways/payment-gateway.ts'
import { startTestServer, type TestServer } from '../../../testing/test-server.ts'
import { deactivate, test, world } from '../../sandbox/testing/world.ts'
import { type FundingContext, gatewaysOf } from '../funding/context.ts'
import { upiIntentOnPage } from '../funding/page-bounds.ts'
import { findFundingBySession } from '../funding/session.ts'
import { serveCheckout } from './routes.ts'

/** Two nodes on one database. */
let nodes: readonly TestServer[]
/** The calls that the gateway received, in order. */
let asked: string[]
/** The gateway gives no UPI address. */
let failing: boolean

/** The sandbox gateway, which records the calls that it receives. */
function watched(gateway: PaymentGateway): PaymentGateway {
  return {
    ...gateway,
    getOrder: order => {
      asked.push('order')
      return gateway.getOrder(order)
    },
    startUpi: async (order, how) => {
      asked.push(how.channel)
      return failing ? { kind: 'retryable', message: 'away' } : gateway.startUpi(order, how)
    },
  }
}

let funding: FundingContext

test.beforeAll(async () => {
  funding = { ...world.funding, gateways: gatewaysOf(watched(world.funding.gateways.current)) }
  const context = { funding, serviceName: 'Batua', simulate: null }
  nodes = await Promise.all(
    [1, 2].map(() =>
      startTestServer(server => server.pages(scope => serveCheckout(scope, context)), {
        rateLimits: {
          agentPerMinute: 0,
          platformPerMinute: 0,
          unauthenticatedPerMinute: 0,
          pagesPerMinute: 500,
        },
        trustProxy: ['loopback'],
      }),
    ),
  )
})
beforeEach(() => {
  asked = []
  failing = false
})
afterAll(async () => {
  for (const node of nodes) await node.close()
})

async function newSession() {
  const agent = await world.newAgentOfNewOwner()
  const { session } = await world.open(agent)
  return { agent, path: `/checkout/${session}` }
}

let sent = 0

/** Sends one request to the next of the nodes and does not follow redirects. */
async function send(method: 'GET' | 'POST', path: string, form?: Record<string, string>) {
  const node = nodes[sent++ % nodes.length]
  if (node === undefined) throw new Error('no node')
  const init = form === undefined ? {} : { body: new URLSearchParams(form) }
  const response = await fetch(node.url + path, {
    method,
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin' },
    ...init,
  })
  return { status: response.status, to: response.headers.get('location') ?? '', text: await response.text() }
}

const collect = (path: string) => send('POST', `${path}/upi`, { upi_id: 'asha@examplebank' })

test('a session has five UPI collects, over all nodes and however many requests arrive at once', async () => {
  const { path } = await newSession()
  for (let round = 0; round < 4; round++) {
    await Promise.all(Array.from({ length: 10 }, () => collect(path)))
    world.advance(3)
  }
  const last = await collect(path)
  expect(last).toMatchObject({ status: 303, to: expect.not.stringContaining('say=') })
  world.advance(3)
  const refused = await collect(path)
  expect(refused.to).toContain('say=too_many_collects')
  expect((await send('GET', `${path}?say=too_many_collects`)).text).toContain('No more requests to UPI apps')
  expect(asked.filter(what => what === 'collect')).toHaveLength(5)
})

test('the pages of a session query its gateway once in three seconds, whichever browser loads them', async () => {
  const { path } = await newSession()
  await collect(path)
  expect(asked).toEqual(['collect'])
  const forms = [
    collect(path),
    send('POST', `${path}/cancel`, {}),
    send('GET', `${path}?back=1`),
    send('GET', `${path}?back=1`),
  ]
  await Promise.all([...forms, ...Array.from({ length: 10 }, () => send('GET', `${path}/status`))])
  expect(asked).toEqual(['collect'])
  expect((await send('POST', `${path}/cancel`, {})).to).toContain('say=too_soon')
  world.advance(3)
  await Promise.all(Array.from({ length: 10 }, () => send('GET', `${path}?back=1`)))
  expect(asked).toEqual(['collect', 'order'])
})

test('after a collect the page waits for the payer without another query to the gateway', async () => {
  const { path } = await newSession()
  await collect(path)
  expect((await send('GET', path)).text).toContain('Waiting for your approval of ₹1,000.00')
})

test('loading a page requests its UPI code once, and the payer may go on at once', async () => {
  const { path } = await newSession()
  await Promise.all(Array.from({ length: 10 }, () => send('GET', path)))
  expect(asked).toEqual(['intent'])
  expect((await send('GET', path)).text).toContain('upi://pay?pa=')
  expect(asked).toEqual(['intent'])
  expect((await collect(path)).to).not.toContain('say=')
  expect(asked).toEqual(['intent', 'collect'])
})

test('a page that read its session before another page requested the UPI code takes that code', async () => {
  const { path } = await newSession()
  const session = await findFundingBySession(funding, path.slice('/checkout/'.length))
  if (session === null) throw new Error('no session')
  const first = await upiIntentOnPage(funding, session)
  expect(first).toContain('upi://pay?pa=')
  expect(await upiIntentOnPage(funding, session)).toBe(first)
  expect(asked).toEqual(['intent'])
})

test('after a failed request for a UPI code the page queries the gateway only three seconds later', async () => {
  failing = true
  const { path } = await newSession()
  for (let load = 0; load < 5; load++) expect((await send('GET', path)).status).toBe(200)
  expect(asked).toEqual(['intent'])
  world.advance(3)
  await send('GET', path)
  expect(asked).toEqual(['intent', 'intent'])
})

test('a session whose agent was deactivated takes no payment, even while its gateway cannot be queried yet', async () => {
  const { agent, path } = await newSession()
  await collect(path)
  await deactivate(world, agent)
  asked = []
  const page = await send('GET', path)
  expect(page.text).toContain('data-state="checking"')
  expect((await collect(path)).to).not.toContain('say=')
  expect(asked).toEqual([])
  world.advance(3)
  expect((await send('GET', path)).text).toContain('This wallet was closed')
})

test('each client address has a rate limit for pages, which includes polling for a status', async () => {
  const { path } = await newSession()
  const [node] = nodes
  if (node === undefined) throw new Error('no node')
  const headers = { 'x-forwarded-for': '203.0.113.77' }
  const statuses: number[] = []
  for (let sentSoFar = 0; sentSoFar < 500; sentSoFar += 50) {
    const batch = Array.from({ length: 50 }, () => fetch(`${node.url}${path}/status`, { headers }))
    statuses.push(...(await Promise.all(batch)).map(response => response.status))
  }
  expect(new Set(statuses)).toEqual(new Set([200]))
  const refused = await fetch(`${node.url}${path}`, { headers })
  expect([refused.status, refused.headers.get('ratelimit-limit')]).toEqual([429, '500'])
  expect(refused.headers.get('retry-after')).toBe(refused.headers.get('ratelimit-reset'))
  expect(await refused.text()).toContain('Too many requests')
})
