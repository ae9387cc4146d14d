import { createServer } from 'node:http'
import { type AppScope, routes } from '@batua/contract'
import { createClient } from '@batua/sdk'
import { requirePayment } from '@batua/sdk/node'
import { setAside } from '@batua/sdk/x402'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Headers } from './src/api.ts'
import type { Agent } from './src/network.ts'
import { type OAuthStage, openOAuth } from './src/oauth.ts'
import { hideHeader, openShop } from './src/pay-per-call-shop.ts'
import { openPayingStage, originOf, type PayingStage } from './src/paying-stage.ts'

let stage: PayingStage
let oauth: OAuthStage
let session: Headers
let agent: Agent

beforeAll(async () => {
  stage = await openPayingStage()
  oauth = openOAuth(stage.service.address)
  session = await stage.network.login(stage.owner)
  agent = await stage.network.fundedAgent(stage.owner)
})

/** A price of 60 INR that the payee of the stage asks. */
function selling() {
  const { service, payee } = stage
  const client = createClient({ baseUrl: service.address, agentKey: payee.key })
  return { client, payTo: payee.handle, amount: 60 }
}

test('a client that registers itself is connected, pays within its cap, and is refused above it', async () => {
  const { access_token, scope, expires_in } = await oauth.connect(agent, session, { daily: 100, per_tx: 60 })
  expect(scope.split(' ').toSorted()).toEqual(['approvals:request', 'payments:write', 'wallet:read'])
  expect(expires_in).toBeGreaterThan(3_000)
  const client = await oauth.mcp(access_token)
  const pay = (amount: number, key: string) =>
    client.call('pay', { to: stage.payee.handle, amount, idempotency_key: key })
  expect(await pay(60, 'first')).toMatchObject({ isError: false, status: 'completed' })
  expect(await pay(61, 'large')).toMatchObject({
    ...{ isError: true, code: 'spend_limit_exceeded', layer: 'app', limit: 100, remaining: 40 },
    max_amount_now: 40,
  })
  expect(await pay(40, 'second')).toMatchObject({ isError: false })
  expect(await pay(0.01, 'third')).toMatchObject({ isError: true, layer: 'app', remaining: 0 })
  expect(await client.call('get_wallet')).toMatchObject({
    limits: expect.arrayContaining([
      expect.objectContaining({ layer: 'app', rule: 'spend_limit_daily', used: 100, remaining: 0 }),
    ]),
  })
  const {
    connected_apps: [app],
  } = await stage.api.ok(routes.listConnectedApps, { headers: session })
  expect(app).toMatchObject({
    name: 'Assistant',
    agent_id: agent.id,
    agent_name: 'Research Agent',
    spent_today: 100,
    daily: 100,
    per_tx: 60,
  })
  expect(app?.last_used_at).not.toBeNull()
  await client.close()
})

test('everything that an app does is in the audit log under its name', async () => {
  const buyer = await stage.network.fundedAgent(stage.owner, { require_human_approval_above: 200 })
  const shop = await stage.network.fundedAgent(stage.owner)
  const received = await stage.network.pay(shop, buyer, 10)
  const { access_token } = await oauth.connect(buyer, session, { daily: 500 })
  const client = await oauth.mcp(access_token)
  const to = stage.payee.handle
  const paid = await client.call('pay', { to, amount: 20, idempotency_key: 'a' })
  const held = await client.call('hold_escrow', { to_agent_id: to, amount: 30, idempotency_key: 'b' })
  const asked = await client.call('request_approval', { to, amount: 40, idempotency_key: 'c' })
  const refunded = await client.call('refund', {
    ...{ payment_id: received.payment_id, amount: 5, idempotency_key: 'd' },
  })
  const opened = await client.call('open_authorization', {
    ...{ to, amount: 50, expires_in: 600, idempotency_key: 'e' },
  })
  const page = await openShop(createServer(requirePayment(selling(), (_, response) => response.end('sunny'))))
  const fetched = await client.call('fetch_paid_url', {
    ...{ url: page.address, max_amount: 60, idempotency_key: 'f' },
  })
  const acting = await openShop(createServer((_, response) => response.end('sent')))
  const sent = await client.call('fetch_paid_url', {
    ...{ url: `${acting.address}/notes?token=secret`, method: 'POST', body: 'a note' },
    ...{ max_amount: 1, idempotency_key: 'g' },
  })
  const until = new Date(Date.now() + 24 * 3_600_000).toISOString()
  await stage.api.ok(routes.createAllowance, {
    ...{ headers: session, body: { agent_id: buyer.id, to: stage.payee.id, amount: 300, until } },
  })
  const allowed = await client.call('pay', { to, amount: 250, idempotency_key: 'h' })
  await Promise.all([client.close(), page.close(), acting.close()])
  const responses = [paid, held, asked, refunded, opened, fetched, sent, allowed]
  expect(responses.map(({ isError }) => isError)).toEqual(responses.map(() => false))
  expect(fetched).toMatchObject({ status: 200, body: 'sunny', amount: 60 })
  const { connected_apps } = await stage.api.ok(routes.listConnectedApps, {
    ...{ headers: session, query: { agent_id: buyer.id } },
  })
  const [app] = connected_apps
  const actor = { type: 'app', id: app?.app_id, name: 'Assistant' }
  const params = { agent_id: buyer.id }
  const { entries } = await stage.api.ok(routes.listAuditEntries, { params, headers: buyer.headers })
  const byApp = entries.filter(entry => entry.actor.type === 'app')
  expect(byApp.map(({ action, target }) => [action, target]).toReversed()).toEqual([
    ['payment.completed', paid['payment_id']],
    ['app.spent', app?.app_id],
    ['escrow.held', held['escrow_id']],
    ['app.spent', app?.app_id],
    ['approval.requested', asked['approval_id']],
    ['payment.refunded', refunded['refund_id']],
    ['app.spent', app?.app_id],
    ['authorization.created', opened['authorization_id']],
    ['app.spent', app?.app_id],
    ['payment.completed', fetched['payment_id']],
    ['context.recorded', txnOf(fetched['payment_id'])],
    ['app.spent', app?.app_id],
    ['page.requested', app?.app_id],
    ['payment.completed', allowed['payment_id']],
    ['app.spent', app?.app_id],
    ['allowance.used', expect.stringMatching(/^alw_/)],
  ])
  // Nothing was paid for it, and neither its path nor its query is kept, which may have secrets.
  const { host } = new URL(acting.address)
  const request = byApp.find(({ action }) => action === 'page.requested')
  expect(request?.data).toEqual({ tool: 'fetch_paid_url', method: 'POST', host })
  for (const entry of byApp) {
    expect(entry.actor).toEqual(actor)
    const proof = await stage.api.ok(routes.verifyAuditEntry, {
      ...{ query: { audit_id: entry.audit_id }, headers: buyer.headers },
    })
    expect(proof).toMatchObject({ valid: true, entry: { actor } })
  }
  expect(entries.find(({ action }) => action === 'app.connected')).toMatchObject({
    ...{ actor: { type: 'owner', id: stage.owner.id }, target: app?.app_id },
    data: { name: 'Assistant', daily: 500, per_tx: 500, scopes: app?.scopes },
  })
  expect(app).toMatchObject({ spent_today: 415 })
})

test('what an app reads is in the audit trail under its name, by the hour and the tool', async () => {
  const buyer = await stage.network.fundedAgent(stage.owner)
  const { access_token } = await oauth.connect(buyer, session, { daily: 500 })
  const client = await oauth.mcp(access_token)
  for (let call = 0; call < 3; call++) await client.call('get_wallet')
  await client.call('list_transactions')
  const dear = { to: stage.payee.handle, amount: 501, idempotency_key: 'k' }
  expect(await client.call('pay', dear)).toMatchObject({ isError: true })
  await client.client.readResource({ uri: 'batua://statement' })
  await client.close()
  const trail = async () => {
    const query = { action: 'app.used' } as const
    const call = { params: { agent_id: buyer.id }, query, headers: buyer.headers }
    return (await stage.api.ok(routes.listAuditEntries, call)).entries
  }
  // Real time passes within an hour, and the second that a total may take to be stored.
  await expect
    .poll(
      async () => {
        await stage.api.ok(routes.advanceClock, { body: { advance_seconds: 3_720 } })
        return sumOf((await trail()).map(({ data }) => Object(data).calls))
      },
      { timeout: 20_000 },
    )
    .toEqual({ get_wallet: 3, list_transactions: 1, pay: 1, 'batua://statement': 1 })
  const [entry] = await trail()
  expect(entry).toMatchObject({ actor: { type: 'app', name: 'Assistant' }, target: entry?.actor.id })
  const { from, to } = Object(entry?.data)
  expect(Date.parse(to) - Date.parse(from)).toBe(3_600_000)
  expect(from).toMatch(/:00:00\.000Z$/)
})

const txnOf = (paymentId: unknown) => String(paymentId).replace('pay_', 'txn_')

function sumOf(counts: readonly Record<string, number>[]): Record<string, number> {
  const sum: Record<string, number> = {}
  for (const count of counts)
    for (const [tool, calls] of Object.entries(count)) sum[tool] = (sum[tool] ?? 0) + calls
  return sum
}

test('what an app reads, and a page that it fetches for free, is in its platform’s log of requests under its id', async () => {
  const buyer = await stage.network.fundedAgent(stage.owner)
  const { access_token } = await oauth.connect(buyer, session, { daily: 500 })
  const client = await oauth.mcp(access_token)
  const page = await openShop(createServer((_, response) => response.end('free')))
  const fetched = { url: page.address, max_amount: 1, idempotency_key: 'k' }
  const called = [
    await client.call('list_transactions'),
    await client.call('check_payment', { to: stage.payee.handle, amount: 5 }),
    await client.call('fetch_paid_url', fetched),
  ]
  await Promise.all([client.close(), page.close()])
  expect(called).toMatchObject([{ isError: false }, { decision: 'approved' }, { status: 200, amount: null }])
  const { connected_apps } = await stage.api.ok(routes.listConnectedApps, {
    ...{ headers: session, query: { agent_id: buyer.id } },
  })
  const { requests } = await stage.api.ok(routes.listRequests, {
    ...{ headers: stage.platform.headers, query: { limit: 100 } },
  })
  const own = requests.filter(({ app_id }) => app_id === connected_apps[0]?.app_id)
  expect(new Set(own.map(({ method, route }) => `${method} ${route}`))).toEqual(
    new Set([
      'POST /mcp',
      'GET /v1/agents/{agent_id}/transactions',
      'POST /v1/agents/{agent_id}/policy/evaluate',
      'GET /v1/agents/{agent_id}/payments',
    ]),
  )
})

test('an owner is notified once of an app, by a text message, as she chose and through her platform, without the app’s name', async () => {
  const { network, api, platform } = stage
  const owner = await network.owner(platform)
  const hers = await network.login(owner)
  const buyer = await network.agent(owner, { name: 'Buyer' })
  const body = { kinds: { app_connected: { message: true } } }
  await api.ok(routes.updateNotificationSettings, { headers: hers, body })
  const { asked } = await oauth.authorize(await oauth.newClient({ client_name: 'Call 1800 100 now' }))
  const allowed = await Promise.allSettled(
    Array.from({ length: 4 }, () => oauth.allow(asked, hers, { agent_id: buyer.id, daily: 250.5 })),
  )
  expect(allowed.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  const { connected_apps } = await api.ok(routes.listConnectedApps, { headers: hers })
  const [{ app_id, client_id, expires_at } = {}] = connected_apps
  await api.ok(routes.advanceClock, { body: { advance_seconds: 3_600 } })
  const { messages } = await api.ok(routes.getSandboxMessages, { params: { phone: owner.phone } })
  expect(messages.map(({ text }) => text).toSorted()).toEqual([
    `An app was connected. It may spend up to ₹250.50 a day from Buyer. ${oauth.origin}/console/safety?section=apps`,
    expect.stringMatching(
      new RegExp(
        `^Batua: from .* IST a connected app may spend up to INR 250\\.50 a day from your agent @${buyer.handle}\\. Was that not you\\? Log in at ${oauth.origin} `,
      ),
    ),
  ])
  const { events } = await api.ok(routes.listEvents, {
    ...{ headers: platform.headers, query: { event: 'agent.app.connected' as const, agent_id: buyer.id } },
  })
  expect(events.map(({ body: text }) => JSON.parse(text ?? '').data)).toEqual([
    {
      ...{ agent_id: buyer.id, app_id, client_id, expires_at, name: 'Call 1800 100 now' },
      ...{ scopes: ['wallet:read', 'payments:write', 'approvals:request'], per_tx: 250.5, daily: 250.5 },
    },
  ])
})

test('what an app asks the owner for counts when she approves it, and is shown as its request', async () => {
  const { network, api } = stage
  const buyer = await network.fundedAgent(stage.owner)
  const { access_token } = await oauth.connect(buyer, session, { daily: 100 })
  const client = await oauth.mcp(access_token)
  const ask = (key: string) =>
    client.call('request_approval', { to: stage.payee.handle, amount: 60, idempotency_key: key })
  const [first, second] = [await ask('first'), await ask('second')]
  const show = (asked: object) => ({
    ...{ params: { approval_id: String(Reflect.get(asked, 'approval_id')) }, headers: session },
  })
  expect(await api.ok(routes.getApproval, show(first))).toMatchObject({
    app: { name: 'Assistant' },
    headroom_after: expect.arrayContaining([
      { rule: 'spend_limit_daily', layer: 'app', limit: 100, remaining: 40 },
    ]),
  })
  const { approval_id } = show(first).params
  const seen = await client.call('get_approval', { approval_id })
  expect(seen).toMatchObject({ app: { name: 'Assistant' }, untrusted: ['/to_name', '/app/name'] })
  await api.ok(routes.approve, show(first))
  const { details } = await api.refused(routes.approve, 403, 'spend_limit_exceeded', show(second))
  expect(details).toMatchObject({ layer: 'app', used: 60, remaining: 40 })
  expect(await client.call('get_payment', { idempotency_key: 'first' })).toMatchObject({
    status: 'completed',
  })
  await client.close()
})

test('an app sees only the tools that its scopes allow, and can call no others', async () => {
  const { access_token } = await oauth.connect(agent, session, { scopes: ['approvals:request'], daily: 50 })
  const client = await oauth.mcp(access_token)
  const { tools } = await client.client.listTools()
  expect(tools.map(({ name }) => name)).toEqual([
    ...['check_payment', 'get_payment', 'request_approval', 'get_approval'],
  ])
  const to = stage.payee.handle
  expect(await client.raw('pay', { to, amount: 1, idempotency_key: 'p' })).toMatchObject({
    ...{ isError: true, structuredContent: { code: 'authorization_error' } },
  })
  expect(await client.raw('get_wallet')).toMatchObject({ isError: true })
  expect(await client.call('request_approval', { to, amount: 1, idempotency_key: 'r' })).toMatchObject({
    ...{ isError: false, status: 'pending_approval' },
  })
  expect(await client.call('check_payment', { to, amount: 51 })).toMatchObject({
    ...{ decision: 'denied', details: { layer: 'app', remaining: 50 } },
  })
  await client.close()
})

test('an app that only reads the wallet can send no request to a page, not even to ask for its price', async () => {
  const { access_token } = await oauth.connect(agent, session, { scopes: ['wallet:read'] })
  const client = await oauth.mcp(access_token)
  const { tools } = await client.client.listTools()
  expect(tools.map(({ name }) => name)).toEqual([
    ...['get_wallet', 'check_payment', 'get_payment', 'list_transactions', 'get_approval', 'verify_receipt'],
  ])
  let requests = 0
  const page = await openShop(
    createServer((_, response) => {
      requests += 1
      response.end()
    }),
  )
  for (const method of ['GET', 'POST', 'DELETE']) {
    expect(await client.raw('quote_paid_url', { url: page.address, method })).toMatchObject({
      ...{ isError: true, structuredContent: { code: 'authorization_error', next_tool: null } },
    })
  }
  expect(requests).toBe(0)
  await Promise.all([client.close(), page.close()])
})

describe('a tool that an app may not call is never its next one:', () => {
  const caps = { daily: 500, per_tx: 60 }
  const to = () => stage.payee.handle
  /** An app with one scope, of an agent with 975 INR that a payee has paid to. */
  async function appWith(scope: AppScope) {
    const buyer = await stage.network.fundedAgent(stage.owner, { require_escrow_above: 40 })
    const { access_token } = await oauth.connect(buyer, session, { ...caps, scopes: [scope] })
    return { buyer, client: await oauth.mcp(access_token) }
  }

  test('with wallet:read no result names a tool that pays', async () => {
    const { client } = await appWith('wallet:read')
    const check = (amount: number) => client.call('check_payment', { to: to(), amount })
    expect(await check(10)).toMatchObject({ decision: 'approved', next_tool: null })
    expect(await check(50)).toMatchObject({ decision: 'escrow_required', next_tool: null })
    expect(await check(1_000)).toMatchObject({ decision: 'denied', next_tool: 'get_wallet' })
    expect(await client.call('get_payment', { idempotency_key: 'none' })).toMatchObject({
      ...{ code: 'not_found', next_tool: 'list_transactions' },
    })
    await client.close()
  })

  test('with payments:write no result names the tools for limits and statements', async () => {
    const { client } = await appWith('payments:write')
    const check = (amount: number) => client.call('check_payment', { to: to(), amount })
    expect(await check(10)).toMatchObject({ decision: 'approved', next_tool: 'pay' })
    expect(await check(50)).toMatchObject({ decision: 'escrow_required', next_tool: 'hold_escrow' })
    expect(await check(1_000)).toMatchObject({ decision: 'denied', next_tool: null })
    expect(await client.call('get_payment', { idempotency_key: 'none' })).toMatchObject({
      ...{ code: 'not_found', next_tool: null },
    })
    const opening = { to: to(), amount: 5, idempotency_key: 'k' }
    expect(await client.call('open_authorization', opening)).toMatchObject({ isError: false })
    expect(await client.call('open_authorization', opening)).toMatchObject({
      ...{ code: 'idempotency_error', next_tool: null },
    })
    await client.close()
  })

  test('with approvals:request results name the request for approval instead of a payment', async () => {
    const { client } = await appWith('approvals:request')
    const check = (amount: number) => client.call('check_payment', { to: to(), amount })
    expect(await check(10)).toMatchObject({ decision: 'approved', next_tool: 'request_approval' })
    expect(await check(50)).toMatchObject({ decision: 'escrow_required', next_tool: null })
    expect(await check(1_000)).toMatchObject({ decision: 'denied', next_tool: null })
    const ask = (amount: number) =>
      client.call('request_approval', { to: to(), amount, idempotency_key: `k${amount}` })
    expect(await ask(50)).toMatchObject({ code: 'escrow_required', next_tool: null })
    expect(await ask(10)).toMatchObject({ isError: false, next_tool: 'get_approval' })
    expect(await client.call('get_payment', { idempotency_key: 'none' })).toMatchObject({
      ...{ code: 'not_found', next_tool: null },
    })
    await client.close()
  })
})

test('an app gets back money that it set aside for a seller that then refuses, and the audit log names the app', async () => {
  const { api, network, payee } = stage
  const service = await originOf(api)
  const asksPrice = requirePayment({ ...selling(), amount: 4, service, x402: setAside('exact') }, () => {})
  const page = await openShop(
    createServer((request, response) => {
      // It speaks x402 alone, and whatever it is shown, it asks for the price again.
      hideHeader(response, 'X-SERVICE-PAY')
      delete request.headers['payment-signature']
      asksPrice(request, response)
    }),
  )
  const buyer = await network.fundedAgent(stage.owner)
  const { access_token } = await oauth.connect(buyer, session, { scopes: ['payments:write'] })
  const client = await oauth.mcp(access_token)
  const order = { url: page.address, max_amount: 5, idempotency_key: 'k' }
  expect(await client.call('fetch_paid_url', order)).toMatchObject({
    ...{ isError: true, code: 'payment_not_accepted' },
  })
  const call = { params: { agent_id: buyer.id }, headers: buyer.headers }
  const { authorizations } = await api.ok(routes.listAuthorizations, call)
  expect(authorizations).toMatchObject([{ status: 'closing', to_agent_id: payee.id, captured: 0 }])
  const { connected_apps } = await api.ok(routes.listConnectedApps, {
    ...{ headers: session, query: { agent_id: buyer.id } },
  })
  const { entries } = await api.ok(routes.listAuditEntries, call)
  expect(entries.find(({ action }) => action === 'authorization.closing')).toMatchObject({
    ...{ actor: { type: 'app', id: connected_apps[0]?.app_id, name: 'Assistant' } },
    target: authorizations[0]?.authorization_id,
  })
  await Promise.all([client.close(), page.close()])
})

test('an app of an agent that was deactivated can do nothing, and a rotated key does not end an app', async () => {
  const { network, api } = stage
  const short = await network.agent(stage.owner)
  const { access_token } = await oauth.connect(short, session)
  const params = { agent_id: short.id }
  await api.ok(routes.rotateAgentKey, { params, headers: stage.platform.headers })
  const client = await oauth.mcp(access_token)
  expect(await client.call('get_wallet')).toMatchObject({ isError: false, agent_id: short.id })
  await api.ok(routes.deactivateAgent, { params, headers: stage.platform.headers })
  await expect(client.raw('get_wallet')).rejects.toThrow()
})

test('an app ends at the time that its owner chose, by the service’s clock', async () => {
  const { access_token } = await oauth.connect(agent, session, { expires_in_days: 1 })
  const client = await oauth.mcp(access_token)
  expect(await client.call('check_payment', { to: stage.payee.handle, amount: 1 })).toMatchObject({
    isError: false,
  })
  await stage.api.ok(routes.advanceClock, { body: { advance_seconds: 86_401 } })
  await expect(client.raw('get_wallet')).rejects.toThrow()
})
