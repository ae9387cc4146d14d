import { routes } from '@batua/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { request } from './src/api.ts'
import { logPlatformIn } from './src/log-in.ts'
import type { Agent, Platform } from './src/network.ts'
import { type Stage, sharedStage } from './src/stage.ts'

let stage: Stage
let platform: Platform
let buyer: Agent
let seller: Agent

beforeAll(async () => {
  stage = await sharedStage()
  const { network } = stage
  platform = await network.platform()
  const owner = await network.owner(platform)
  await network.verify(owner)
  buyer = await network.agent(owner)
  seller = await network.agent(owner)
  await network.fund(buyer, 500)
})
afterAll(() => stage.close())

test('a platform sees its requests and its agents’, each with its route, status, code and id', async () => {
  const { api, network } = stage
  const paid = await api.send(routes.pay, {
    params: { agent_id: buyer.id },
    headers: buyer.headers,
    body: { to: seller.handle, amount: 100, note: 'marked-note', reference: 'marked-reference' },
  })
  const refused = await api.send(routes.pay, {
    params: { agent_id: buyer.id },
    headers: buyer.headers,
    body: { to: seller.handle, amount: 900 },
  })
  const missing = await request(stage.service.address, 'GET', `/v1/nothing/${buyer.id}`, {
    headers: platform.headers,
  })
  const other = await network.platform()
  const { requests, pagination } = await api.ok(routes.listRequests, {
    headers: platform.headers,
    query: { limit: 3 },
  })
  const idOf = (reply: { readonly headers: Headers }) => reply.headers.get('x-request-id')
  expect(requests).toEqual([
    {
      request_id: idOf(missing),
      method: 'GET',
      route: 'unmatched',
      status: 404,
      code: 'not_found',
      duration_ms: expect.any(Number),
      app_id: null,
      created_at: expect.any(String),
    },
    expect.objectContaining({
      request_id: idOf(refused),
      route: '/v1/agents/{agent_id}/pay',
      status: refused.status,
    }),
    expect.objectContaining({
      request_id: idOf(paid),
      route: '/v1/agents/{agent_id}/pay',
      status: 200,
      code: null,
    }),
  ])
  expect(requests[1]?.code).not.toBeNull()
  expect(JSON.stringify(requests)).not.toMatch(/marked|agt_/)
  const own = await api.ok(routes.listRequests, { headers: other.headers })
  expect(own.requests.every(({ route }) => route === '/v1/platforms')).toBe(true)
  const usage = await api.ok(routes.getRequestUsage, { headers: platform.headers, query: { minutes: 1440 } })
  expect(usage.requests).toBe(pagination.total + 1)
})

test('the console and requests without a valid credential are not in the log', async () => {
  const { api } = stage
  const own = await stage.network.platform()
  const session = await logPlatformIn(api, own)
  await api.ok(routes.listAgents, { headers: session })
  await api.refused(routes.listAgents, 401, 'authentication_error', {
    headers: { ...own.headers, 'x-platform-secret': 'sk_live_wrong' },
  })
  expect((await api.ok(routes.listRequests, { headers: session })).requests).toEqual([])
})

test('a request whose body was refused is in the log with its code', async () => {
  const { api } = stage
  const own = await stage.network.platform()
  await request(stage.service.address, 'POST', '/v1/owners', { headers: own.headers, body: { name: 5 } })
  const { requests } = await api.ok(routes.listRequests, {
    headers: own.headers,
    query: { status_class: '4xx', code: 'validation_error' },
  })
  expect(requests).toMatchObject([{ method: 'POST', route: '/v1/owners', status: 400 }])
})
