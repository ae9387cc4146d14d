import { afterAll, expect } from 'vitest'
import { systemClock } from '../../../kernel/clock.ts'
import { formatId, newUuid, parseId } from '../../../kernel/ids.ts'
import { call as callServer, startTestServer, type TestServer } from '../../../testing/test-server.ts'
import { followSandboxClock } from '../../sandbox/clock.ts'
import { createSandboxGateway } from '../../sandbox/providers/payment-gateway.ts'
import { serveSandbox, serveSimulation } from '../../sandbox/routes.ts'
import { callerWithId, deactivate, test, world } from '../../sandbox/testing/world.ts'
import { serveGatewayWebhooks } from '../gateway-webhooks.ts'
import { gatewaysOf } from './context.ts'
import { fundingWebhooks } from './funding-webhooks.ts'
import { serveFunding } from './routes.ts'

let server: TestServer
let withoutCollect: TestServer

test.beforeAll(async () => {
  const authenticators = { agent: callerWithId, platform: () => null }
  server = await startTestServer(
    ({ serve }) => {
      serveFunding(serve, world.funding)
      serveGatewayWebhooks(serve, { ...world.funding, handlers: fundingWebhooks(world.funding) })
      serveSandbox(serve, world.sandbox)
      serveSimulation(serve, world.sandbox)
    },
    { authenticators },
  )
  const gateway = createSandboxGateway({
    database: world.db.database,
    clock: world.clock,
    webhookSecrets: ['test-secret'],
    deliver: async () => {},
    merchantName: 'Batua',
    upiCollect: false,
  })
  withoutCollect = await startTestServer(
    ({ serve }) => serveFunding(serve, { ...world.funding, gateways: gatewaysOf(gateway) }),
    { authenticators },
  )
})
afterAll(async () => {
  await server.close()
  await withoutCollect.close()
})

const newPayer = async () => formatId('agt', await world.newAgentOfNewOwner())
const uuidOf = (agent: string) => parseId('agt', agent) ?? ''

interface Reply {
  readonly status: number
  readonly body: Record<string, unknown> & {
    readonly error?: { readonly code: string; readonly field?: string }
  }
}

async function call(
  agent: string,
  method: string,
  path: string,
  body?: unknown,
  to = server,
): Promise<Reply> {
  const reply = await callServer(to, method, path, { body, headers: { 'x-agent-key': agent } })
  return { status: reply.status, body: reply.body as Reply['body'] }
}

const fund = (agent: string, body: unknown) => call(agent, 'POST', `/v1/agents/${agent}/fund`, body)

const simulate = (session: unknown, body: unknown) =>
  callServer(server, 'POST', `/sandbox/payments/${String(session)}`, { body })

const advance = (seconds: unknown) =>
  callServer(server, 'POST', '/sandbox/clock', { body: { advance_seconds: seconds } })

test('a funding is opened, paid by card, and shown with its fee', async () => {
  const agent = await newPayer()
  const opened = await fund(agent, { amount: 1234.5 })
  expect(opened).toMatchObject({
    status: 201,
    body: { status: 'pending', amount: 1234.5, method: 'link', order_id: opened.body['funding_id'] },
  })
  const session = String(opened.body['payment_session_id'])
  expect(opened.body['checkout_url']).toBe(`http://127.0.0.1/checkout/${session}`)
  const inMs = Date.parse(String(opened.body['expires_at'])) - world.clock.now().getTime()
  expect(inMs).toBeGreaterThan(29 * 60_000)
  expect(inMs).toBeLessThanOrEqual(30 * 60_000)

  expect(await simulate(session, { outcome: 'success', method: 'card' })).toMatchObject({
    status: 200,
    body: { payment_session_id: session, funding_id: opened.body['funding_id'], status: 'completed' },
  })
  const path = `/v1/agents/${agent}/fund/${String(opened.body['funding_id'])}`
  expect(await call(agent, 'GET', path)).toMatchObject({
    status: 200,
    body: { status: 'completed', amount: 1234.5, paid_method: 'card', fee: 30.86, net_amount: 1203.64 },
  })
})

test.each([
  [{ amount: 0.99 }, 'amount'],
  [{ amount: 10.001 }, 'amount'],
  [{ amount: '10' }, 'amount'],
  [{ amount: -5 }, 'amount'],
  [{ amount: 10_000_000_001 }, 'amount'],
  [{}, 'amount'],
  [{ amount: 10, method: 'cash' }, 'method'],
  [{ amount: 10, currency: 'INR' }, 'currency'],
])('%j is refused by its field', async (body, field) => {
  const agent = await newPayer()
  expect(await fund(agent, body)).toMatchObject({
    status: 400,
    body: { error: { code: 'validation_error', field } },
  })
  const rows = await world.db.database.query(`select id from fundings where agent_id = $1`, [uuidOf(agent)])
  expect(rows).toEqual([])
})

test('funding another agent’s wallet is forbidden; another agent’s funding and an unknown one are not found', async () => {
  const [agent, other] = [await newPayer(), await newPayer()]
  const opened = await fund(agent, { amount: 10 })
  const funding = String(opened.body['funding_id'])
  expect((await call(other, 'POST', `/v1/agents/${agent}/fund`, { amount: 10 })).status).toBe(403)
  expect((await call(other, 'GET', `/v1/agents/${agent}/fund/${funding}`)).status).toBe(403)
  expect((await call(other, 'GET', `/v1/agents/${other}/fund/${funding}`)).status).toBe(404)
  expect((await call(agent, 'GET', `/v1/agents/${agent}/fund/nothing`)).status).toBe(404)
  expect((await callServer(server, 'GET', `/v1/agents/${agent}/fund/${funding}`)).status).toBe(401)
})

test.each(['paused', 'frozen'])(
  'an agent that is %s opens no funding, but an earlier payment is credited',
  async status => {
    const agent = await newPayer()
    const opened = await fund(agent, { amount: 1000 })
    const uuid = uuidOf(agent)
    await world.db.database.query(`update agents set status = $2 where id = $1`, [uuid, status])
    expect(await fund(agent, { amount: 10 })).toMatchObject({
      status: 403,
      body: { error: { code: 'policy_denied', message: `Agent is ${status}` } },
    })
    await simulate(opened.body['payment_session_id'], { outcome: 'success' })
    expect(await world.balance(uuid)).toBe(97_500n)
  },
)

test('a quarantined agent can still be funded, because it receives and does not pay', async () => {
  const agent = await newPayer()
  const uuid = uuidOf(agent)
  await world.db.database.query(`update agents set status = 'quarantined' where id = $1`, [uuid])
  const opened = await fund(agent, { amount: 1000 })
  expect(opened.status).toBe(201)
  await simulate(opened.body['payment_session_id'], { outcome: 'success' })
  expect(await world.balance(uuid)).toBe(97_500n)
})

test('a deactivated agent opens no funding', async () => {
  const agent = await newPayer()
  await deactivate(world, uuidOf(agent))
  expect(await fund(agent, { amount: 10 })).toMatchObject({
    status: 403,
    body: { error: { code: 'policy_denied', message: 'Agent is deactivated' } },
  })
})

test('a UPI collect is sent to the app, and the response always has the code and the link', async () => {
  const agent = await newPayer()
  const body = { amount: 1000, upi_id: 'testsuccess@gocash' }
  const started = await call(agent, 'POST', `/api/web/fund/${agent}/upi`, body)
  expect(started).toMatchObject({
    status: 201,
    body: { status: 'pending', collect: true, upi_id: 'te*********@gocash' },
  })
  expect(started.body['upi_intent']).toMatch(/^upi:\/\/pay\?pa=.*&am=1000\.00&cu=INR$/)
  expect(started.body['qr']).toBe(started.body['upi_intent'])
  await advance(3)
  expect(await world.balance(uuidOf(agent))).toBe(97_500n)
  const stored = await world.db.database.query(`select * from fundings where agent_id = $1`, [uuidOf(agent)])
  expect(
    JSON.stringify(stored, (_key, value) => (typeof value === 'bigint' ? String(value) : value)),
  ).not.toContain('testsuccess')
})

test('a gateway without collect requests refuses the UPI id and still provides the code', async () => {
  const agent = await newPayer()
  const body = { amount: 1000, upi_id: 'asha@examplebank' }
  const path = `/api/web/fund/${agent}/upi`
  expect(await call(agent, 'POST', path, body, withoutCollect)).toMatchObject({
    status: 201,
    body: { collect: false, upi_id: 'as**@examplebank', upi_intent: expect.stringMatching(/^upi:/) },
  })
  expect(await call(agent, 'POST', path, { ...body, upi_id: 'nobody' })).toMatchObject({
    status: 400,
    body: { error: { field: 'upi_id' } },
  })
})

test('a forged webhook gets 401, an unknown gateway 404', async () => {
  const body = {
    type: 'PAYMENT_SUCCESS_WEBHOOK',
    data: { order: { order_id: formatId('fund', newUuid(new Date())) } },
  }
  const headers = { 'x-webhook-timestamp': '1', 'x-webhook-signature': 'AAAA' }
  expect(await callServer(server, 'POST', '/v1/gateway/sandbox/webhooks', { body, headers })).toMatchObject({
    status: 401,
    body: { error: { code: 'authentication_error' } },
  })
  expect((await callServer(server, 'POST', '/v1/gateway/other/webhooks', { body, headers })).status).toBe(404)
})

test('sandbox outcomes: an unknown session gets 404, an impossible or unknown outcome is refused', async () => {
  expect((await simulate('ps_nothing', { outcome: 'success' })).status).toBe(404)
  const opened = await fund(await newPayer(), { amount: 10 })
  const session = opened.body['payment_session_id']
  expect((await simulate(session, { outcome: 'magic' })).status).toBe(400)
  expect((await simulate(session, { outcome: 'chargeback' })).status).toBe(409)
  expect((await simulate(session, { outcome: 'failure' })).body).toMatchObject({ status: 'failed' })
  expect((await simulate(session, { outcome: 'failure' })).status).toBe(409)
})

test('moving the clock runs the due jobs, and a restarted service applies the same offset', async () => {
  const agent = await newPayer()
  const opened = await fund(agent, { amount: 10 })
  const before = world.clock.now().getTime()
  const moved = await advance(1801)
  const now = Date.parse((moved.body as { now: string }).now)
  expect(now - before).toBeGreaterThanOrEqual(1_801_000)
  const path = `/v1/agents/${agent}/fund/${String(opened.body['funding_id'])}`
  expect((await call(agent, 'GET', path)).body).toMatchObject({ status: 'failed' })
  const [row] = await world.db.database.query(`select offset_ms from sandbox_clock`)
  expect(row).toEqual({ offset_ms: 1_804_000n })
  const restarted = systemClock()
  await followSandboxClock(world.db.database, restarted)
  expect(restarted.offsetMs()).toBe(1_804_000)
  for (const seconds of [-1, 1.5, '60', 315_360_001]) {
    const refused = await advance(seconds)
    expect(refused.status).toBe(400)
  }
})
