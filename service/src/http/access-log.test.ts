import { route } from '@batua/contract'
import { Type } from 'typebox'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createLogger } from '../kernel/logger.ts'
import { createMetrics } from '../kernel/metrics.ts'
import { AS_AGENT, call, startTestServer, TEST_AGENT, type TestServer } from '../testing/test-server.ts'

const echo = route({
  operationId: 'echo',
  method: 'POST',
  path: '/v1/echo/{name}',
  tag: 'Test',
  summary: 'Echo',
  who: [],
  params: Type.Object({ name: Type.String() }),
  query: Type.Object({ phone: Type.Optional(Type.String()) }),
  body: Type.Object({ pan: Type.String() }),
  status: 200,
  response: Type.Object({ pan: Type.String() }),
  errors: [],
})
const broken = route({ ...echo, operationId: 'broken', path: '/v1/broken/{name}' })

const lines: string[] = []
const metrics = createMetrics()
let server: TestServer

beforeAll(async () => {
  const logger = createLogger('info', { write: line => void lines.push(line) })
  server = await startTestServer(
    ({ serve }) => {
      serve(echo, ({ body }) => ({ pan: body.pan }))
      serve(broken, ({ body }) => {
        throw new Error(`no agk_live_abc for ${body.pan} at 9876543210`)
      })
    },
    { logger, metrics },
  )
})
beforeEach(() => lines.splice(0))
afterAll(() => server.close())

const NAME = 'asha-rao'
const PAN = 'ABCDE1234F'
const PHONE = '9876543210'
const send = (path: string) =>
  call(server, 'POST', `${path}/${NAME}?phone=${PHONE}`, { body: { pan: PAN }, headers: AS_AGENT })

test('a request is one log line with its route and caller, without headers, bodies and addresses', async () => {
  const { headers } = await send('/v1/echo')
  await expect.poll(() => lines.length).toBe(1)
  expect(JSON.parse(lines[0] ?? '')).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-.*Z$/),
    request_id: headers.get('x-request-id'),
    method: 'POST',
    route: '/v1/echo/:name',
    status: 200,
    ms: expect.any(Number),
    caller: `agent:${TEST_AGENT.agentId}`,
    msg: 'request',
  })
  for (const value of [NAME, PAN, PHONE, AS_AGENT['x-agent-key']]) expect(lines.join()).not.toContain(value)
})

test('an unexpected error is logged with its stack, without the values in its message', async () => {
  const { headers } = await send('/v1/broken')
  await expect.poll(() => lines.length).toBe(2)
  const fault = JSON.parse(lines[0] ?? '')
  expect(fault).toMatchObject({ level: 'error', request_id: headers.get('x-request-id') })
  expect(fault.err.stack).toContain('access-log.test.ts')
  for (const value of [NAME, PAN, PHONE, 'agk_live_abc']) expect(lines.join()).not.toContain(value)
})

test('an unknown address is not logged literally', async () => {
  await call(server, 'GET', `/v1/${PAN}`)
  await expect.poll(() => lines.length).toBe(1)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ route: 'unmatched', status: 404 })
  expect(lines.join()).not.toContain(PAN)
})

test('durations are observed by route, not by address', async () => {
  await send('/v1/echo')
  await expect
    .poll(() => metrics.metrics())
    .toMatch(/http_request_duration_seconds_count\{method="POST",route="\/v1\/echo\/:name",status="200"\} \d/)
  expect(await metrics.metrics()).not.toContain(NAME)
})
