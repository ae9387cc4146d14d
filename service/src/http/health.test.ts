import { afterEach, expect, test } from 'vitest'
import { call, startTestServer, type TestServer } from '../testing/test-server.ts'
import { addHealth } from './health.ts'

let server: TestServer

const start = async (isReady: () => Promise<boolean>) => {
  server = await startTestServer(started => addHealth(started, { isReady }), {
    rateLimits: { agentPerMinute: 1, platformPerMinute: 1, unauthenticatedPerMinute: 1, pagesPerMinute: 1 },
  })
}
afterEach(() => server.close())

test('the liveness probe succeeds when the database is not available', async () => {
  await start(async () => false)
  expect(await call(server, 'GET', '/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } })
  expect(await call(server, 'GET', '/readyz')).toMatchObject({
    status: 503,
    body: { error: { code: 'service_unavailable' } },
  })
})

test('the readiness probe succeeds when the database responds, however often it is called', async () => {
  await start(async () => true)
  for (let time = 0; time < 3; time++) {
    expect(await call(server, 'GET', '/readyz')).toMatchObject({ status: 200, body: { status: 'ready' } })
  }
})

test('a probe may use HEAD', async () => {
  await start(async () => true)
  const response = await fetch(`${server.url}/healthz`, { method: 'HEAD' })
  expect(response.status).toBe(200)
  expect(await response.text()).toBe('')
})
