import { afterAll, beforeEach, expect } from 'vitest'
import type { GatewayResult } from '../../../gateways/gateway-result.ts'
import type { PaymentGateway, UpiAttempt } from '../../../gateways/payment-gateway.ts'
import { formatId, parseId } from '../../../kernel/ids.ts'
import { call, type Reply, startTestServer, type TestServer } from '../../../testing/test-server.ts'
import { callerWithId, test, world } from '../../sandbox/testing/world.ts'
import { serveCheckout } from '../checkout/routes.ts'
import { gatewaysOf } from './context.ts'
import { fundingJobs } from './jobs.ts'
import { serveFunding } from './routes.ts'

const HOUR_S = 3_600
const NOT_ASKED = { status: 201, body: { collect: false, upi_intent: expect.stringMatching(/^upi:/) } }

/** Two nodes on one database. */
let nodes: readonly TestServer[]
/** The UPI ids that were asked. */
let asked: string[]
/** What the gateway returns instead of asking. */
let response: GatewayResult<UpiAttempt> | null

test.beforeAll(async () => {
  const watched = (gateway: PaymentGateway): PaymentGateway => ({
    ...gateway,
    startUpi: async (order, how) => {
      if (how.channel !== 'collect') return gateway.startUpi(order, how)
      if (response !== null) return response
      asked.push(how.upiId)
      return gateway.startUpi(order, how)
    },
  })
  const funding = { ...world.funding, gateways: gatewaysOf(watched(world.funding.gateways.current)) }
  nodes = await Promise.all(
    [1, 2].map(() =>
      startTestServer(
        server => {
          serveFunding(server.serve, funding)
          server.pages(scope => serveCheckout(scope, { funding, serviceName: 'Batua', simulate: null }))
        },
        {
          authenticators: { agent: callerWithId, platform: () => null },
          rateLimits: {
            agentPerMinute: 0,
            platformPerMinute: 0,
            unauthenticatedPerMinute: 0,
            pagesPerMinute: 0,
          },
        },
      ),
    ),
  )
})
beforeEach(() => {
  asked = []
  response = null
  world.advance(2 * HOUR_S)
})
afterAll(async () => {
  for (const node of nodes) await node.close()
})

const newPayer = async () => formatId('agt', await world.newAgentOfNewOwner())
const uuidOf = (agent: string) => parseId('agt', agent) ?? ''

/** Another agent of the same owner. */
async function newSibling(of: string): Promise<string> {
  const sibling = await newPayer()
  await world.db.database.query(
    `update agents set (owner_id, platform_id) = (select owner_id, platform_id from agents where id = $2)
     where id = $1`,
    [uuidOf(sibling), uuidOf(of)],
  )
  return sibling
}

let sent = 0

function nextNode(): TestServer {
  const node = nodes[sent++ % nodes.length]
  if (node === undefined) throw new Error('no node')
  return node
}

function collect(agent: string, upiId: string): Promise<Reply> {
  const body = { amount: 1000, upi_id: upiId }
  const headers = { 'x-agent-key': agent }
  return call(nextNode(), 'POST', `/api/web/fund/${agent}/upi`, { body, headers })
}

let upiIds = 0

/** A UPI id that nobody was asked by before. */
const newUpiId = () => `payer${++upiIds}@examplebank`

async function sessions(agent: string): Promise<number> {
  const rows = await world.db.database.query(`select id from fundings where agent_id = $1`, [uuidOf(agent)])
  return rows.length
}

test('a UPI app gets five requests an hour of one owner, over all sessions, agents and nodes and however many arrive at once', async () => {
  const agent = await newPayer()
  const sibling = await newSibling(agent)
  const upiId = newUpiId()
  const replies = await Promise.all(
    Array.from({ length: 8 }, (_, index) => collect(index % 2 === 0 ? agent : sibling, upiId)),
  )
  expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 201, 201, 429, 429, 429])
  expect(asked).toHaveLength(5)

  world.advance(600)
  const before = await sessions(agent)
  const refused = await collect(agent, upiId.toUpperCase())
  expect(refused).toMatchObject({ status: 429, body: { error: { code: 'rate_limit_exceeded' } } })
  expect(refused.headers.get('ratelimit-limit')).toBe('5')
  expect(refused.headers.get('ratelimit-remaining')).toBe('0')
  const waitS = Number(refused.headers.get('retry-after'))
  expect(refused.headers.get('ratelimit-reset')).toBe(String(waitS))
  expect([asked.length, await sessions(agent)]).toEqual([5, before])
  expect(waitS).toBeGreaterThan(2_900)
  expect(waitS).toBeLessThanOrEqual(3_000)
  world.advance(waitS)
  expect(await collect(agent, upiId)).toMatchObject({ status: 201, body: { collect: true } })
})

test('requests that were paid do not count', async () => {
  const agent = await newPayer()
  for (let count = 0; count < 7; count++) {
    const reply = await collect(agent, 'testsuccess@gocash')
    expect(reply).toMatchObject({ status: 201, body: { collect: true } })
    world.advance(3)
    await world.jobs.runDue()
  }
  expect(await world.balance(uuidOf(agent))).toBe(7n * 97_500n)
})

test('one owner asks twenty UPI apps an hour, and other owners are not affected', async () => {
  const agent = await newPayer()
  for (let count = 0; count < 20; count++) expect((await collect(agent, newUpiId())).status).toBe(201)
  const refused = await collect(await newSibling(agent), newUpiId())
  expect([refused.status, refused.headers.get('ratelimit-limit')]).toEqual([429, '20'])
  expect(await collect(await newPayer(), newUpiId())).toMatchObject({ body: { collect: true } })
})

test('however many owners ask one UPI app, it gets twenty requests an hour, and each payer still has a code', async () => {
  const upiId = newUpiId()
  for (let owner = 0; owner < 5; owner++) {
    const agent = await newPayer()
    for (let count = 0; count < 5; count++) expect((await collect(agent, upiId)).status).toBe(201)
  }
  expect(asked).toHaveLength(20)
  const agent = await newPayer()
  for (let count = 0; count < 6; count++) expect(await collect(agent, upiId)).toMatchObject(NOT_ASKED)
  expect(asked).toHaveLength(20)
  world.advance(HOUR_S)
  expect(await collect(agent, upiId)).toMatchObject({ status: 201, body: { collect: true } })
})

test('requests from checkout pages count together with those of the API', async () => {
  const agent = await newPayer()
  const upiId = newUpiId()
  const onPage = async (session: string) => {
    const reply = await fetch(`${nextNode().url}/checkout/${session}/upi`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ upi_id: upiId }),
    })
    return reply.headers.get('location') ?? ''
  }
  for (let count = 0; count < 3; count++) {
    const { session } = await world.open(uuidOf(agent))
    expect(await onPage(session)).not.toContain('say=')
  }
  for (let count = 0; count < 2; count++) expect((await collect(agent, upiId)).status).toBe(201)
  expect((await collect(agent, upiId)).status).toBe(429)
  const { session } = await world.open(uuidOf(agent))
  expect(await onPage(session)).toContain('say=too_many_collects')
  expect(asked).toHaveLength(5)
})

test('a request that the gateway did not take does not count, and one that it may have sent does', async () => {
  const agent = await newPayer()
  const upiId = newUpiId()
  response = { kind: 'retryable', message: 'away' }
  for (let count = 0; count < 6; count++) expect(await collect(agent, upiId)).toMatchObject(NOT_ASKED)
  response = { kind: 'unknown', message: 'time-out' }
  for (let count = 0; count < 5; count++) expect((await collect(agent, upiId)).status).toBe(201)
  expect((await collect(agent, upiId)).status).toBe(429)
})

test('what is kept for the limits has no UPI id in readable form, and is deleted when the hour is over', async () => {
  const agent = await newPayer()
  const upiId = newUpiId()
  await collect(agent, upiId)
  const kept = () => world.db.database.query<{ text: string }>(`select c::text as text from upi_collects c`)
  const text = (await kept()).map(row => row.text).join()
  expect(text).not.toBe('')
  for (const form of [upiId, Buffer.from(upiId).toString('hex')]) expect(text).not.toContain(form)
  const jobs = fundingJobs(world.funding)
  const deleted = jobs.find(({ name }) => name === 'old UPI collect requests')
  await deleted?.run(world.clock.now())
  expect(await kept()).not.toEqual([])
  world.advance(HOUR_S)
  await deleted?.run(world.clock.now())
  expect(await kept()).toEqual([])
})
