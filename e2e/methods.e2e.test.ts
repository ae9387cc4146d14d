import { type Route, routes } from '@batua/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errorOf, pathOf, request } from './src/api.ts'
import { newHandle } from './src/network.ts'
import type { Service } from './src/service.ts'
import { type Stage, sharedStage } from './src/stage.ts'
import { openWorld, type World } from './src/world.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'LOCK']

const table: Route[] = Object.values(routes)
const methodsOf = Map.groupBy(table, route => route.path)

let stage: Stage
let service: Service
let world: World

beforeAll(async () => {
  stage = await sharedStage()
  ;({ service } = stage)
  world = await openWorld(stage.api)
})
afterAll(() => stage.close())

describe('a path', () => {
  test.each([...methodsOf])(
    '%s accepts its own methods and names them in the refusal of any other',
    async (path, served) => {
      const address = pathOf({ path } as Route, {})
      const taken = new Set<string>(served.map(route => route.method))
      for (const method of METHODS.filter(method => !taken.has(method))) {
        const reply = await request(service.address, method, address, { headers: world.platform.headers })
        // These match the path of an agent, a platform or a passkey, so they accept its methods.
        if (/^\/v1\/(?:agents\/me|platforms\/me|passkeys\/options)$/.test(path) && reply.status !== 405)
          continue
        expect([method, reply.status, errorOf(reply).code]).toEqual([method, 405, 'method_not_allowed'])
        const allowed = (reply.headers.get('allow') ?? '').split(', ')
        for (const one of taken) expect(allowed).toContain(one)
        expect(allowed).not.toContain(method)
      }
    },
  )

  test('that is unknown gets 404, for any caller and method', async () => {
    const paths = ['/v1', '/v2/agents', '/v1/agent', '/V1/agents', '//v1/agents', '/v1/agents/x/y/z']
    const later = ['/v1/admin', '/v1/admin/agents']
    for (const path of [...paths, ...later]) {
      for (const method of ['GET', 'POST']) {
        const reply = await request(service.address, method, path, { headers: world.platform.headers })
        expect([path, method, reply.status, errorOf(reply).code]).toEqual([path, method, 404, 'not_found'])
      }
    }
  })

  test('that is unknown gets 404, with any body', async () => {
    for (const body of ['{', 'a'.repeat(100_000)]) {
      const headers = { 'content-type': 'text/plain' }
      const reply = await request(service.address, 'POST', '/v1/nothing', { body, headers })
      expect([reply.status, errorOf(reply).code]).toEqual([404, 'not_found'])
    }
  })
})

describe('an agent’s state', () => {
  test.each(['quarantined', 'paused', 'frozen', 'deactivated'])(
    'cannot be set to %s by a PATCH of its field',
    async status => {
      const { network, platform, owner } = world
      const agent = await network.agent(owner)
      const call = { params: { agent_id: agent.id }, headers: platform.headers, body: { status } }
      const error = await world.api.refused(routes.updateAgent, 400, 'validation_error', call)
      expect(error.field).toBe('status')
      const body = { name: 'Another', handle: newHandle(), owner_id: owner.id, status }
      await world.api.refused(routes.createAgent, 400, 'validation_error', {
        headers: platform.headers,
        body,
      })
      const seen = await world.api.ok(routes.getAgent, {
        params: { agent_id: agent.id },
        headers: platform.headers,
      })
      expect(seen.status).toBe('active')
    },
  )
})

describe('monitoring of the service', () => {
  test('gets metrics without addresses and personal data', async () => {
    const reply = await request(service.address, 'GET', '/metrics')
    expect(reply.status).toBe(200)
    expect(reply.headers.get('content-type')).toContain('text/plain')
    expect(reply.text).toContain('http_request_duration_seconds_bucket')
    expect(reply.text).not.toContain(world.payer.id)
    expect(world.network.confidential.filter(text => reply.text.includes(text))).toEqual([])
  })

  test('gets the health and readiness probes, each with its own request id', async () => {
    const replies = [
      await request(service.address, 'GET', '/healthz'),
      await request(service.address, 'GET', '/readyz'),
    ]
    expect(replies.map(reply => reply.body)).toEqual([{ status: 'ok' }, { status: 'ready' }])
    const ids = replies.map(reply => reply.headers.get('x-request-id'))
    expect(new Set(ids).size).toBe(2)
    for (const id of ids) expect(id).toMatch(/^req_/)
  })

  test('cannot choose its own request id', async () => {
    const reply = await request(service.address, 'GET', '/healthz', { headers: { 'x-request-id': 'forged' } })
    expect(reply.headers.get('x-request-id')).not.toBe('forged')
  })

  test('gets the reference page without resources of other sites', async () => {
    const reply = await request(service.address, 'GET', '/docs')
    expect(reply.status).toBe(200)
    expect(reply.text).not.toMatch(/(?:src|href)="https?:\/\//)
    expect(reply.headers.get('content-security-policy')).toContain("default-src 'none'")
  })
})
