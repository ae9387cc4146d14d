import { routes } from '@batua/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Headers } from './src/api.ts'
import type { Agent } from './src/network.ts'
import { type OAuthStage, openOAuth, REDIRECT } from './src/oauth.ts'
import { openPayingStage, type PayingStage } from './src/paying-stage.ts'
import { openStage } from './src/stage.ts'

/** Requests a minute, so many that what is set up here is not refused. */
const LIMIT = 60

let stage: PayingStage
let oauth: OAuthStage
let session: Headers
let agent: Agent
let connected: Awaited<ReturnType<OAuthStage['connect']>>

beforeAll(async () => {
  // A proxy on this machine says who calls, so that each test has an address of its own.
  const env = { RATE_LIMIT_UNAUTHENTICATED: String(LIMIT), TRUST_PROXY: '127.0.0.1' }
  stage = await openPayingStage(openStage(env))
  oauth = openOAuth(stage.service.address)
  session = await stage.network.login(stage.owner)
  agent = await stage.network.fundedAgent(stage.owner)
  connected = await oauth.connect(agent, session)
})
afterAll(() => stage.close())

const addressed = (address: string) => ({ 'x-forwarded-for': address })

/** What one address gets that sends twice as much at once as a minute allows. */
function flood(send: (address: Headers) => Promise<Response>, address: string): Promise<Response[]> {
  return Promise.all(Array.from({ length: 2 * LIMIT }, () => send(addressed(address))))
}

async function expectRefused(responses: readonly Response[]): Promise<void> {
  const refused = responses.filter(({ status }) => status === 429)
  expect(refused.length).toBeGreaterThanOrEqual(LIMIT)
  for (const { headers } of refused) {
    const wait = Number(headers.get('retry-after'))
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(60)
    expect(headers.get('ratelimit-remaining')).toBe('0')
  }
  expect(await refused[0]?.json()).toMatchObject({ error: { code: 'rate_limit_exceeded' } })
}

/** A payment with the agent's key, and one of the connected app. */
async function expectPaid(address: string): Promise<void> {
  const body = { to: stage.payee.id, amount: 1 }
  const params = { agent_id: agent.id }
  await stage.api.ok(routes.pay, { params, body, headers: { ...agent.headers, ...addressed(address) } })
  expect((await mcp(connected.access_token, addressed(address))).status).toBe(200)
}

function post(path: string, body: string, type: string, headers: Headers): Promise<Response> {
  return fetch(stage.service.address + path, {
    ...{ method: 'POST', body },
    headers: { 'content-type': type, ...headers },
  })
}

const register = (headers: Headers) =>
  post(
    '/oauth/register',
    JSON.stringify({
      ...{ client_name: 'Flood', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' },
    }),
    'application/json',
    headers,
  )

const token = (form: Headers, headers: Headers) =>
  post('/oauth/token', String(new URLSearchParams(form)), 'application/x-www-form-urlencoded', headers)

const mcp = (bearer: string, headers: Headers) =>
  post(
    '/mcp',
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
    'application/json',
    {
      authorization: `Bearer ${bearer}`,
      accept: 'application/json, text/event-stream',
      ...headers,
    },
  )

describe('an address that asks too often', () => {
  test('to register clients is refused until its minute is over, and payments from it and other addresses are not', async () => {
    const responses = await flood(register, '203.0.113.1')
    await expectRefused(responses)
    expect(responses.filter(({ status }) => status === 201).length).toBeLessThanOrEqual(LIMIT)
    await expectPaid('203.0.113.1')
    expect((await register(addressed('203.0.113.2'))).status).toBe(201)
  })

  test('for codes is refused, and nobody else', async () => {
    const query = new URLSearchParams({
      ...{ response_type: 'code', client_id: connected.clientId, redirect_uri: REDIRECT },
      ...{ code_challenge: 'a'.repeat(43), code_challenge_method: 'S256', resource: oauth.resource },
    })
    const authorize = (headers: Headers) =>
      fetch(`${stage.service.address}/oauth/authorize?${query.toString()}`, { redirect: 'manual', headers })
    await expectRefused(await flood(authorize, '203.0.113.3'))
    await expectPaid('203.0.113.3')
    expect((await authorize(addressed('203.0.113.4'))).status).toBe(303)
  })

  test('for tokens with wrong codes is refused, and a client at another address renews its token', async () => {
    const guess = { grant_type: 'authorization_code', client_id: connected.clientId, redirect_uri: REDIRECT }
    const wrong = (headers: Headers) =>
      token({ ...guess, code: 'x'.repeat(43), code_verifier: 'a'.repeat(43) }, headers)
    // What is on its way when the limit is reached still gets its response, so the second time all are refused.
    await flood(wrong, '203.0.113.5')
    await expectRefused(await flood(wrong, '203.0.113.5'))
    await expectPaid('203.0.113.5')
    const renew = { grant_type: 'refresh_token', client_id: connected.clientId }
    const renewed = await token(
      { ...renew, refresh_token: connected.refresh_token },
      addressed('203.0.113.6'),
    )
    expect(renewed.status).toBe(200)
    connected = { ...connected, ...((await renewed.json()) as typeof connected) }
  })

  test('with wrong tokens is refused at /mcp, and a token that the node knows is not', async () => {
    await expectPaid('203.0.113.7')
    const guess = (headers: Headers) => mcp('x'.repeat(43), headers)
    await flood(guess, '203.0.113.7')
    await expectRefused(await flood(guess, '203.0.113.7'))
    await expectPaid('203.0.113.7')
  })
})

test('renewals that succeed do not count: one company renews the tokens of many people from one address', async () => {
  for (let renewed = 0; renewed < LIMIT + 5; renewed++) {
    const response = await token(
      {
        grant_type: 'refresh_token',
        client_id: connected.clientId,
        refresh_token: connected.refresh_token,
      },
      addressed('203.0.113.8'),
    )
    expect(response.status).toBe(200)
    connected = { ...connected, ...((await response.json()) as typeof connected) }
  }
})
