import { routes } from '@batua/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Api, errorOf, type Reply, request } from './src/api.ts'
import type { Agent, Network, Platform } from './src/network.ts'
import type { Service } from './src/service.ts'
import { openStage, type Stage } from './src/stage.ts'

// The limits of the interface, section 8: the service is started without any configuration of them.
const AGENT = 100
const PLATFORM = 1000
const UNAUTHENTICATED = 30
const PAGES = 600
/** Gateway webhooks that fail verification; not configurable. */
const FORGED = 300

let stage: Stage
let service: Service
let api: Api
let network: Network
let platform: Platform
let agent: Agent
let other: Agent

beforeAll(async () => {
  stage = await openStage({
    RATE_LIMIT_AGENT: '',
    RATE_LIMIT_PLATFORM: '',
    RATE_LIMIT_UNAUTHENTICATED: '',
    RATE_LIMIT_PAGES: '',
  })
  ;({ service, api, network } = stage)
  platform = await network.platform()
  const owner = await network.owner(platform)
  agent = await network.agent(owner)
  other = await network.agent(owner)
})
afterAll(() => stage.close())

async function times(count: number, send: () => Promise<Reply>): Promise<Reply[]> {
  const replies: Reply[] = []
  for (let sent = 0; sent < count; sent += 10) {
    replies.push(...(await Promise.all(Array.from({ length: Math.min(10, count - sent) }, send))))
  }
  return replies
}

function refused(replies: readonly Reply[]): Reply[] {
  return replies.filter(reply => reply.status === 429)
}

function budget({ headers }: Reply) {
  return {
    limit: Number(headers.get('ratelimit-limit')),
    remaining: Number(headers.get('ratelimit-remaining')),
    reset: Number(headers.get('ratelimit-reset')),
  }
}

function expectRefusal(reply: Reply, limit: number): void {
  expect([reply.status, errorOf(reply).code]).toEqual([429, 'rate_limit_exceeded'])
  expect(budget(reply)).toMatchObject({ limit, remaining: 0 })
  const wait = Number(reply.headers.get('retry-after'))
  expect(wait).toBeGreaterThan(0)
  expect(wait).toBeLessThanOrEqual(60)
}

describe('within a minute', () => {
  test('an agent can make 100 requests, each with the number of remaining ones', async () => {
    const first = await api.send(routes.getCurrentAgent, { headers: agent.headers })
    expect(budget(first)).toMatchObject({ limit: AGENT, remaining: AGENT - 1 })
    expect(budget(first).reset).toBeGreaterThan(0)
    expect(budget(first).reset).toBeLessThanOrEqual(60)
    const rest = await times(AGENT - 1, () => api.send(routes.getCurrentAgent, { headers: agent.headers }))
    expect(refused(rest)).toEqual([])
    expectRefusal(await api.send(routes.getCurrentAgent, { headers: agent.headers }), AGENT)
  })

  test('an agent beyond its limit can pay nothing, and other agents and its platform are not affected', async () => {
    const call = { params: { agent_id: agent.id }, headers: agent.headers, body: { to: other.id, amount: 1 } }
    expectRefusal(await api.send(routes.pay, call), AGENT)
    expect((await api.send(routes.getCurrentAgent, { headers: other.headers })).status).toBe(200)
    const seen = await api.send(routes.getPlatform, {
      params: { platform_id: platform.id },
      headers: platform.headers,
    })
    // The platform itself has made four requests: one owner, two agents, and this one.
    expect(budget(seen)).toMatchObject({ limit: PLATFORM, remaining: PLATFORM - 4 })
  })

  test('an agent at its limit can still verify payments, and only failed verifications count', async () => {
    const verify = (headers: Agent['headers']) =>
      api.send(routes.verifyTransaction, { params: { txn_id: 'pay_01kb7q3f8meg5tz4x9wc2n6a01' }, headers })
    const first = await verify(agent.headers)
    expect([first.status, budget(first).limit]).toEqual([200, 10 * AGENT])
    expect(refused(await times(10 * AGENT - 1, () => verify(agent.headers)))).toEqual([])
    expectRefusal(await verify(agent.headers), 10 * AGENT)
    expect((await verify(other.headers)).status).toBe(200)
  })

  test('a platform can make 1000 requests', async () => {
    const send = () =>
      api.send(routes.getPlatform, { params: { platform_id: platform.id }, headers: platform.headers })
    expect(refused(await times(PLATFORM - 4, send))).toEqual([])
    expectRefusal(await send(), PLATFORM)
  })

  test('an address can make 30 requests without a credential, including wrong credentials and unknown paths', async () => {
    const exists = () => api.send(routes.getAgentExistence, { params: { agent_id: agent.handle } })
    const first = await exists()
    const left = budget(first).remaining
    expect(budget(first).limit).toBe(UNAUTHENTICATED)
    // The creation of the platform was one.
    expect(left).toBe(UNAUTHENTICATED - 2)
    const wrongKey = { 'x-agent-key': `agk_live_${'x'.repeat(43)}` }
    expect((await api.send(routes.getCurrentAgent, { headers: wrongKey })).status).toBe(401)
    expect((await request(service.address, 'GET', '/v1/nothing')).status).toBe(404)
    expect(refused(await times(left - 2, exists))).toEqual([])
    expectRefusal(await exists(), UNAUTHENTICATED)
    expectRefusal(await api.send(routes.getCurrentAgent, { headers: wrongKey }), UNAUTHENTICATED)
    expectRefusal(await request(service.address, 'GET', '/v1/nothing'), UNAUTHENTICATED)
    expect((await api.send(routes.getCurrentAgent, { headers: other.headers })).status).toBe(200)
  })

  test('a forwarded address is ignored unless it comes from a known proxy', async () => {
    const headers = {
      'x-forwarded-for': '203.0.113.7',
      'x-real-ip': '203.0.113.8',
      forwarded: 'for=203.0.113.9',
    }
    const reply = await api.send(routes.getAgentExistence, { params: { agent_id: agent.handle }, headers })
    expectRefusal(reply, UNAUTHENTICATED)
  })

  test('an address can read 600 pages, independent of its budget of requests', async () => {
    const pages = ['/metrics', '/openapi.json', '/docs/', '/docs/js/scalar.js', '/checkout/ps_none']
    const head = (page: string) => () => request(service.address, 'HEAD', page)
    for (const page of pages) expect([page, refused(await times(10, head(page))).length]).toEqual([page, 0])
    expect(refused(await times(PAGES - 10 * pages.length, head('/docs/')))).toEqual([])
    for (const page of [...pages, '/checkout/ps_none/status']) {
      const reply = await request(service.address, 'GET', page)
      expect([page, reply.status, budget(reply)]).toMatchObject([page, 429, { limit: PAGES, remaining: 0 }])
      expect(Number(reply.headers.get('retry-after'))).toBe(budget(reply).reset)
    }
  })

  test('probes and key documents are never counted', async () => {
    for (const path of ['/healthz', '/readyz', '/.well-known/service-keys.json']) {
      const replies = await times(40, () => request(service.address, 'GET', path))
      expect([path, refused(replies).length]).toEqual([path, 0])
    }
  })

  test('after 300 gateway webhooks that failed verification an address is refused before the body is read', async () => {
    const path = '/v1/gateway/sandbox/webhooks'
    const forged = { headers: { 'x-webhook-timestamp': '1', 'x-webhook-signature': 'forged' }, body: {} }
    const send = () => request(service.address, 'POST', path, forged)
    const replies = await times(FORGED - 2, send)
    expect(replies.filter(reply => reply.status !== 401)).toEqual([])
    const deep = `${'['.repeat(100)}${']'.repeat(100)}`
    const headers = { 'content-type': 'application/json' }
    expect((await request(service.address, 'POST', path, { headers, body: deep })).status).toBe(400)
    const last = await send()
    expect([last.status, budget(last)]).toMatchObject([401, { limit: FORGED, remaining: 0 }])
    expectRefusal(await send(), FORGED)
    expectRefusal(await request(service.address, 'POST', path, { headers, body: '{ not JSON' }), FORGED)
  })
})
