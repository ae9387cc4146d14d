import { createHash } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { routes } from '@batua/contract'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Headers } from './src/api.ts'
import type { Agent } from './src/network.ts'
import { type Asked, headerOf, type OAuthStage, openOAuth, REDIRECT, type Tokens } from './src/oauth.ts'
import { openPayingStage, type PayingStage } from './src/paying-stage.ts'

let stage: PayingStage
let oauth: OAuthStage
let session: Headers
let agent: Agent
let clientId: string

beforeAll(async () => {
  stage = await openPayingStage()
  oauth = openOAuth(stage.service.address)
  session = await stage.network.login(stage.owner)
  agent = await stage.network.fundedAgent(stage.owner)
  clientId = await oauth.newClient()
})

/** A code that the client has got and not exchanged yet. */
async function newCode(
  client = clientId,
  more = {},
): Promise<{ readonly asked: Asked; readonly code: string }> {
  const { asked } = await oauth.authorize(client, more)
  const response = await oauth.follow(asked, await oauth.allow(asked, session, { agent_id: agent.id }))
  return { asked, code: response.get('code') ?? '' }
}

/** Whether a token opens the wallet. */
async function isGood(token: string): Promise<boolean> {
  const { status } = await mcpWith(token)
  return status === 200
}

function mcpWith(token: string, headers: Headers = {}): Promise<Response> {
  return fetch(`${stage.service.address}/mcp`, {
    method: 'POST',
    headers: {
      ...{ authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
  })
}

const tokensOf = (body: object) => body as Tokens

describe('a code', () => {
  test('is worth nothing without the verifier of the client that asked for it', async () => {
    const { asked, code } = await newCode()
    const wrong = await oauth.exchange(asked, code, { code_verifier: 'a'.repeat(43) })
    expect(wrong).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect(await oauth.exchange(asked, code)).toMatchObject({ status: 200 })
  })

  test('is worth nothing to another client, nor for another redirect or resource', async () => {
    const { asked, code } = await newCode()
    const other = await oauth.newClient()
    for (const change of [{ client_id: other }, { redirect_uri: `${REDIRECT}/other` }]) {
      expect(await oauth.exchange(asked, code, change)).toMatchObject({ status: 400 })
    }
    for (const resource of [`${oauth.origin}/v1`, 'https://bank.example/mcp']) {
      const { asked, code } = await newCode()
      expect(await oauth.exchange(asked, code, { resource })).toMatchObject({
        status: 400,
        body: { error: 'invalid_target' },
      })
    }
  })

  test('that is used a second time ends the app, no matter who used it first', async () => {
    const { asked, code } = await newCode()
    const { access_token, refresh_token } = tokensOf((await oauth.exchange(asked, code)).body)
    expect(await isGood(access_token)).toBe(true)
    expect(await oauth.exchange(asked, code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect(await isGood(access_token)).toBe(false)
    expect(await oauth.refresh(clientId, refresh_token)).toMatchObject({ status: 400 })
  })

  test('that is used by many at the same moment ends the app', async () => {
    const { asked, code } = await newCode()
    const responses = await Promise.all(Array.from({ length: 12 }, () => oauth.exchange(asked, code)))
    const good = responses.filter(({ status }) => status === 200)
    expect(good.length).toBeLessThanOrEqual(1)
    for (const { body } of good) expect(await isGood(tokensOf(body).access_token)).toBe(false)
  })

  test('of an attacker is refused in the request of the client (code injection)', async () => {
    const mine = await newCode()
    const victim = await newCode()
    expect(await oauth.exchange(victim.asked, mine.code)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    })
  })
})

describe('a refresh token', () => {
  test('is good once: the next one works, and the old one ends the app', async () => {
    const first = await oauth.connect(agent, session)
    const { status, body } = await oauth.refresh(first.clientId, first.refresh_token)
    expect(status).toBe(200)
    const second = tokensOf(body)
    expect(second.refresh_token).not.toBe(first.refresh_token)
    expect(await isGood(second.access_token)).toBe(true)
    expect(await oauth.refresh(first.clientId, first.refresh_token)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    })
    expect(await isGood(second.access_token)).toBe(false)
    expect(await oauth.refresh(first.clientId, second.refresh_token)).toMatchObject({ status: 400 })
  })

  test('that is used by many at the same moment ends the app', async () => {
    const { clientId: client, refresh_token } = await oauth.connect(agent, session)
    const responses = await Promise.all(
      Array.from({ length: 12 }, () => oauth.refresh(client, refresh_token)),
    )
    const good = responses.filter(({ status }) => status === 200)
    expect(good.length).toBeLessThanOrEqual(1)
    for (const { body } of good) expect(await isGood(tokensOf(body).access_token)).toBe(false)
  })

  test('is worth nothing to another client, which ends nothing', async () => {
    const mine = await oauth.connect(agent, session)
    const other = await oauth.newClient()
    expect(await oauth.refresh(other, mine.refresh_token)).toMatchObject({ status: 400 })
    expect(await isGood(mine.access_token)).toBe(true)
  })

  test('keeps the cap of its app: what was spent before counts after', async () => {
    const first = await oauth.connect(agent, session, { daily: 30 })
    const pay = async (token: string, amount: number, key: string) => {
      const client = await oauth.mcp(token)
      const result = await client.call('pay', { to: stage.payee.handle, amount, idempotency_key: key })
      await client.close()
      return result
    }
    expect(await pay(first.access_token, 20, `${first.clientId}-1`)).toMatchObject({ isError: false })
    const second = tokensOf((await oauth.refresh(first.clientId, first.refresh_token)).body)
    expect(await pay(second.access_token, 20, `${first.clientId}-2`)).toMatchObject({
      ...{ isError: true, layer: 'app', remaining: 10 },
    })
  })

  test('gives no more than was granted', async () => {
    const { clientId: client, refresh_token } = await oauth.connect(agent, session, {
      scopes: ['wallet:read'],
    })
    expect(await oauth.refresh(client, refresh_token, { scope: 'payments:write' })).toMatchObject({
      status: 400,
      body: { error: 'invalid_scope' },
    })
  })
})

describe('an access token', () => {
  test('is a credential of /mcp alone: every route of the API refuses it', async () => {
    const { access_token, refresh_token } = await oauth.connect(agent, session)
    for (const token of [access_token, refresh_token]) {
      for (const headers of [{ authorization: `Bearer ${token}` }, { 'x-agent-key': token }]) {
        await stage.api.refused(routes.getCurrentAgent, 401, 'authentication_error', { headers })
      }
    }
    expect(await isGood(refresh_token)).toBe(false)
    expect((await mcpWith(access_token, { origin: 'https://evil.example' })).status).toBe(403)
  })

  test('is refused with the address of the metadata, which names this server', async () => {
    const { status, headers } = await mcpWith('x'.repeat(43))
    const metadata = `${oauth.origin}/.well-known/oauth-protected-resource/mcp`
    expect([status, headers.get('www-authenticate')]).toEqual([401, `Bearer resource_metadata="${metadata}"`])
    const resource = await (await fetch(metadata)).json()
    expect(resource).toMatchObject({ resource: oauth.resource, authorization_servers: [oauth.origin] })
    const server = await (await fetch(`${oauth.origin}/.well-known/oauth-authorization-server`)).json()
    expect(server).toMatchObject({
      issuer: oauth.origin,
      authorization_endpoint: `${oauth.origin}/oauth/authorize`,
      code_challenge_methods_supported: ['S256'],
      response_types_supported: ['code'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      scopes_supported: ['wallet:read', 'payments:write', 'approvals:request'],
    })
  })

  test('ends with its app at once, when the owner disconnects it, and a stranger cannot', async () => {
    const { access_token, refresh_token, clientId: client } = await oauth.connect(agent, session)
    const { connected_apps } = await stage.api.ok(routes.listConnectedApps, { headers: session })
    const app = connected_apps.find(each => each.client_id === client)
    const params = { app_id: app?.app_id ?? '' }
    const stranger = await stage.network.login(await stage.network.owner(stage.platform))
    await stage.api.refused(routes.endConnectedApp, 404, 'not_found', { params, headers: stranger })
    expect(await isGood(access_token)).toBe(true)
    await stage.api.ok(routes.endConnectedApp, { params, headers: session })
    expect(await isGood(access_token)).toBe(false)
    expect(await oauth.refresh(client, refresh_token)).toMatchObject({ status: 400 })
    const { entries } = await stage.api.ok(routes.listAuditEntries, {
      ...{ params: { agent_id: agent.id }, query: { action: 'app.ended', limit: 1 }, headers: agent.headers },
    })
    expect(entries[0]).toMatchObject({ target: params.app_id, actor: { type: 'owner', id: stage.owner.id } })
  })

  test('ends when the app gives it back', async () => {
    const { access_token, clientId: client } = await oauth.connect(agent, session)
    const form = new URLSearchParams({ client_id: client, token: access_token }).toString()
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await oauth.post('/oauth/revoke', form, type)).status).toBe(200)
    expect(await isGood(access_token)).toBe(false)
  })
})

describe('a request for a code', () => {
  const refusedPage = async (more: Readonly<Record<string, string>>, client = clientId) => {
    const response = await oauth.authorize(client, more)
    return [response.status, response.headers.get('location')]
  }

  test.each([
    'https://evil.example/callback',
    'http://127.0.0.1:43117/callback/../evil',
    'http://127.0.0.1.evil.example/callback',
    'http://127.0.0.1:43117@evil.example/callback',
    'http://127.0.0.1:43117/callback?next=https://evil.example',
    'javascript:alert(1)',
    '//evil.example',
  ])('is sent to no address that the client did not register: %s', async redirect_uri => {
    expect(await refusedPage({ redirect_uri })).toEqual([400, null])
  })

  test('of an unknown client is sent nowhere', async () => {
    expect(await refusedPage({}, 'unknown')).toEqual([400, null])
    expect(await refusedPage({}, 'http://169.254.169.254/latest/meta-data')).toEqual([400, null])
    expect(await refusedPage({}, 'https://127.0.0.1/client.json')).toEqual([400, null])
  })

  test.each([
    ['without PKCE', { code_challenge: '' }, 'invalid_request'],
    ['with a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['for a token without a code', { response_type: 'token' }, 'unsupported_response_type'],
    ['for another resource', { resource: 'https://bank.example/mcp' }, 'invalid_target'],
    ['that must ask nobody', { prompt: 'none' }, 'interaction_required'],
  ])('%s is refused to the client, with the issuer', async (_, more, error) => {
    const response = await oauth.authorize(clientId, more)
    const location = new URL(response.headers.get('location') ?? '')
    expect(location.origin + location.pathname).toBe(REDIRECT)
    const reply = new URLSearchParams(location.search + location.hash.replace('#', '&'))
    expect([reply.get('error'), reply.get('iss')]).toEqual([error, oauth.origin])
    expect([reply.get('code'), reply.get('access_token')]).toEqual([null, null])
  })

  test('is answered with the state and the issuer, so that no other server’s response can be mixed in', async () => {
    const { asked } = await oauth.authorize(clientId)
    const response = await oauth.follow(asked, await oauth.allow(asked, session, { agent_id: agent.id }))
    expect([response.get('state'), response.get('iss')]).toEqual([asked.state, oauth.origin])
  })

  test('asks the owner each time, whatever she allowed this client before', async () => {
    const { asked } = await oauth.authorize(clientId)
    await oauth.follow(asked, await oauth.allow(asked, session, { agent_id: agent.id }))
    const again = await fetch(
      `${stage.service.address}/oauth/authorize?${new URLSearchParams({
        ...{ response_type: 'code', client_id: clientId, redirect_uri: REDIRECT, state: 's' },
        code_challenge: createHash('sha256').update('v').digest('base64url'),
        code_challenge_method: 'S256',
      }).toString()}`,
      { redirect: 'manual', headers: { cookie: headerOf(asked.cookies) } },
    )
    expect(again.headers.get('location')).toMatch(/^\/console\/connect\//)
  })
})

describe('the consent', () => {
  const response = (
    asked: Asked,
    headers: Headers,
    route = routes.allowConnectRequest as
      | typeof routes.allowConnectRequest
      | typeof routes.denyConnectRequest,
    more = {},
  ) =>
    stage.api.send(route, {
      params: { request_id: asked.requestId },
      headers,
      ...(route === routes.allowConnectRequest && {
        body: { agent_id: agent.id, scopes: ['wallet:read'], daily: 0, expires_in_days: 1, ...more },
      }),
    })
  const withCookies = ({ cookies }: Asked, headers: Headers = session): Headers => ({
    ...headers,
    cookie: `${headers['cookie']}; ${headerOf(cookies)}`,
  })

  test('is given only in the browser that the client sent, and from a page of this service', async () => {
    const { asked } = await oauth.authorize(clientId)
    expect((await response(asked, session)).status).toBe(404)
    const other = (await oauth.authorize(clientId)).asked
    expect((await response(asked, withCookies(other))).status).toBe(404)
    const crossSite = {
      ...withCookies(asked),
      origin: 'https://evil.example',
      'sec-fetch-site': 'cross-site',
    }
    expect((await response(asked, crossSite)).status).toBe(403)
    expect((await response(asked, crossSite, routes.denyConnectRequest)).status).toBe(403)
    const { cookie: _, ...nobody } = withCookies(asked)
    expect((await response(asked, { ...nobody, cookie: headerOf(asked.cookies) })).status).toBe(401)
  })

  test('is given once, by however many responses at the same moment', async () => {
    const { asked } = await oauth.authorize(clientId)
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        at % 2 === 0
          ? response(asked, withCookies(asked))
          : response(asked, withCookies(asked), routes.denyConnectRequest),
      ),
    )
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test('covers only agents of the owner, and only what the client asks for', async () => {
    const stranger = await stage.network.agent(await stage.network.owner(stage.platform))
    const { asked } = await oauth.authorize(clientId, { scope: 'wallet:read' })
    const headers = withCookies(asked)
    expect((await response(asked, headers, undefined, { agent_id: stranger.id })).status).toBe(403)
    expect((await response(asked, headers, undefined, { scopes: ['payments:write'] })).status).toBe(400)
    expect((await response(asked, headers, undefined, { daily: 10, per_tx: 11 })).status).toBe(400)
    expect((await response(asked, headers)).status).toBe(200)
  })

  test('of a frozen owner is refused', async () => {
    const owner = await stage.network.owner(stage.platform)
    const own = await stage.network.agent(owner)
    const hers = await stage.network.login(owner)
    const admin = await stage.network.admin()
    await stage.api.ok(routes.freezeOwner, { params: { owner_id: owner.id }, headers: admin })
    const { asked } = await oauth.authorize(clientId)
    const { status, body } = await response(asked, withCookies(asked, hers), undefined, { agent_id: own.id })
    expect([status, body]).toMatchObject([409, { error: { code: 'conflict' } }])
  })

  test('that is never used leaves no app', async () => {
    const { id } = await stage.network.agent(stage.owner)
    const { asked } = await oauth.authorize(clientId)
    await oauth.allow(asked, session, { agent_id: id })
    const list = async () =>
      (await stage.api.ok(routes.listConnectedApps, { headers: session, query: { agent_id: id } })).pagination
        .total
    expect(await list()).toBe(1)
    await stage.api.ok(routes.advanceClock, { body: { advance_seconds: 301 } })
    expect(await list()).toBe(0)
  })
})

describe('a client id metadata document', () => {
  const servers: Server[] = []
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    }
  })

  /** Publishes a document on this machine; its address is the client's id. */
  async function publish(documentOf: (clientId: string) => unknown, status = 200): Promise<string> {
    let address = ''
    const server = createServer((_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json', location: 'http://127.0.0.1:1/' })
      response.end(JSON.stringify(documentOf(address)))
    })
    servers.push(server)
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/client.json`
    return address
  }
  const plain = (client_id: string) => ({
    ...{ client_id, client_name: 'Published', redirect_uris: [REDIRECT], client_uri: 'http://x' },
    token_endpoint_auth_method: 'none',
  })

  test('identifies the client by its address, and the owner sees its host', async () => {
    const id = await publish(plain)
    const { asked, code } = await newCode(id)
    expect(await oauth.exchange(asked, code)).toMatchObject({ status: 200 })
    const { asked: next } = await oauth.authorize(id)
    const params = { request_id: next.requestId }
    const shown = await stage.api.ok(routes.getConnectRequest, {
      ...{ params, headers: { cookie: headerOf(next.cookies) } },
    })
    expect(shown).toMatchObject({ name: 'Published', client_id: id, client_host: new URL(id).host })
  })

  test.each<[string, (clientId: string) => unknown, number?]>([
    ['says it is another client', () => plain('https://assistant.example/client.json')],
    ['has a secret, which everybody can read', id => ({ ...plain(id), client_secret: 's' })],
    [
      'wants to prove itself by a secret',
      id => ({ ...plain(id), token_endpoint_auth_method: 'client_secret_post' }),
    ],
    ['is longer than 32 KiB', id => ({ ...plain(id), more: 'x'.repeat(33 * 1024) })],
    ['is no object', () => ['a']],
    ['is at another address', plain, 302],
    ['is not there', plain, 404],
  ])('that %s makes no client', async (_, documentOf, status) => {
    const id = await publish(documentOf, status)
    const response = await oauth.authorize(id)
    expect([response.status, response.headers.get('location')]).toEqual([400, null])
  })
})

describe('registration', () => {
  test.each([
    ['an address without TLS', { redirect_uris: ['http://evil.example/callback'] }],
    ['a script', { redirect_uris: ['javascript:alert(1)'] }],
    ['no address', { redirect_uris: [] }],
    ['an address with a password', { redirect_uris: ['https://a:b@evil.example/callback'] }],
    ['21 addresses', { redirect_uris: Array.from({ length: 21 }, (_, at) => `https://a.example/${at}`) }],
  ])('refuses %s', async (_, more) => {
    expect((await oauth.register(more)).status).toBe(400)
  })

  test('shows a name without what hides or reorders other characters, and nothing else that a client says', async () => {
    const client = await oauth.newClient({
      client_name: '  Cla\u202eude\u0000\n ',
      logo_uri: 'https://evil.example/logo.png',
      scope: 'admin everything',
    })
    const { asked } = await oauth.authorize(client)
    const shown = await stage.api.ok(routes.getConnectRequest, {
      ...{ params: { request_id: asked.requestId }, headers: { cookie: headerOf(asked.cookies) } },
    })
    expect(shown).toMatchObject({ name: 'Claude', client_host: null, redirect_host: '127.0.0.1:43117' })
  })
})
