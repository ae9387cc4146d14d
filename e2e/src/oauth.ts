import { createHash, randomBytes } from 'node:crypto'
import { type BodyOf, routes } from '@batua/contract'
import { type Api, type Headers, openApi } from './api.ts'
import { connectMcp, type McpClient } from './mcp-client.ts'
import type { Agent } from './network.ts'

/** Where clients of tests get their responses. Nobody listens: a test reads the address that the browser is sent to. */
export const REDIRECT = 'http://127.0.0.1:43117/callback'

type Allow = BodyOf<typeof routes.allowConnectRequest>

/** A client's request on its way, in the browser of a person. */
export interface Asked {
  readonly requestId: string
  readonly clientId: string
  readonly verifier: string
  readonly state: string
  /** The cookies of the browser. */
  readonly cookies: Map<string, string>
}

/** The tokens of a response. */
export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly expires_in: number
  readonly scope: string
}

export interface OAuthResponse {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

/** A client and a browser, message by message, so that tests can change each of them. */
export interface OAuthStage {
  /** The public address, which is the issuer. */
  readonly origin: string
  readonly resource: string
  register(more?: object): Promise<OAuthResponse>
  /** A new client that registered itself. */
  newClient(more?: object): Promise<string>
  authorize(
    clientId: string,
    more?: Readonly<Record<string, string>>,
  ): Promise<Response & { readonly asked: Asked }>
  allow(asked: Asked, session: Headers, body: Partial<Allow> & Pick<Allow, 'agent_id'>): Promise<string>
  /** Follows the browser to the client, and returns the parameters that it gets. */
  follow(asked: Asked, redirectTo: string): Promise<URLSearchParams>
  token(form: Readonly<Record<string, string>>): Promise<OAuthResponse>
  exchange(asked: Asked, code: string, more?: Readonly<Record<string, string>>): Promise<OAuthResponse>
  refresh(
    clientId: string,
    refreshToken: string,
    more?: Readonly<Record<string, string>>,
  ): Promise<OAuthResponse>
  /** The whole way: a client that is connected to an agent, and its tokens. */
  connect(
    agent: Agent,
    session: Headers,
    terms?: Partial<Allow>,
  ): Promise<Tokens & { readonly clientId: string }>
  /** The official MCP client with a token. */
  mcp(token: string): Promise<McpClient>
  post(path: string, body: string, headers?: Headers): Promise<OAuthResponse>
}

export function openOAuth(address: string): OAuthStage {
  const origin = `http://localhost:${new URL(address).port}`
  const wire = wireOf(address)
  const browser = browserOf(address, `${origin}/mcp`)
  const stage: OAuthStage = {
    ...{ origin, resource: `${origin}/mcp` },
    ...wire,
    ...browser,
    async newClient(more) {
      const { status, body } = await wire.register(more)
      if (status !== 201) throw new Error(`registration: ${status} ${JSON.stringify(body)}`)
      return String(body['client_id'])
    },
    async connect(agent, session, terms = {}) {
      const clientId = await stage.newClient()
      const { asked } = await browser.authorize(clientId)
      const redirectTo = await browser.allow(asked, session, { agent_id: agent.id, ...terms })
      const response = await browser.follow(asked, redirectTo)
      const { status, body } = await wire.exchange(asked, response.get('code') ?? '')
      if (status !== 200) throw new Error(`exchange: ${status} ${JSON.stringify(body)}`)
      return { ...(body as unknown as Tokens), clientId }
    },
    mcp: accessToken => connectMcp(address, accessToken),
  }
  return stage
}

/** What a client sends itself. */
function wireOf(address: string): Pick<OAuthStage, 'post' | 'register' | 'token' | 'exchange' | 'refresh'> {
  async function post(path: string, body: string, headers: Headers = {}): Promise<OAuthResponse> {
    const response = await fetch(address + path, { method: 'POST', body, headers })
    const text = await response.text()
    return { status: response.status, body: text === '' ? {} : JSON.parse(text) }
  }

  const token: OAuthStage['token'] = form =>
    post('/oauth/token', new URLSearchParams(form).toString(), {
      'content-type': 'application/x-www-form-urlencoded',
    })
  return {
    ...{ post, token },
    register(more = {}) {
      const metadata = { client_name: 'Assistant', redirect_uris: [REDIRECT], ...more }
      const body = JSON.stringify({ token_endpoint_auth_method: 'none', ...metadata })
      return post('/oauth/register', body, { 'content-type': 'application/json' })
    },
    exchange: ({ clientId, verifier }, code, more = {}) =>
      token({
        ...{ grant_type: 'authorization_code', client_id: clientId, code, redirect_uri: REDIRECT },
        code_verifier: verifier,
        ...more,
      }),
    refresh: (clientId, refreshToken, more = {}) =>
      token({ grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken, ...more }),
  }
}

/** What a person's browser does. */
function browserOf(address: string, resource: string): Pick<OAuthStage, 'authorize' | 'allow' | 'follow'> {
  const api: Api = openApi(address)
  return {
    async authorize(clientId, more = {}) {
      const verifier = randomBytes(32).toString('base64url')
      const state = randomBytes(8).toString('hex')
      const parameters = new URLSearchParams({
        ...{ response_type: 'code', client_id: clientId, redirect_uri: REDIRECT, state, resource },
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
        ...more,
      })
      const url = `${address}/oauth/authorize?${parameters.toString()}`
      const response = await fetch(url, { redirect: 'manual' })
      const cookies = new Map<string, string>()
      keep(cookies, response)
      const requestId = response.headers.get('location')?.split('/').at(-1) ?? ''
      return Object.assign(response, { asked: { requestId, clientId, verifier, state, cookies } })
    },
    async allow({ requestId, cookies }, session, body) {
      const { redirect_to } = await api.ok(routes.allowConnectRequest, {
        params: { request_id: requestId },
        headers: { ...session, cookie: `${session['cookie']}; ${headerOf(cookies)}` },
        body: {
          scopes: ['wallet:read', 'payments:write', 'approvals:request'],
          ...{ daily: 500, expires_in_days: 30 },
          ...body,
        },
      })
      return redirect_to
    },
    async follow({ cookies }, redirectTo) {
      const { pathname } = new URL(redirectTo)
      const headers = { cookie: headerOf(cookies) }
      const response = await fetch(address + pathname, { redirect: 'manual', headers })
      const location = response.headers.get('location')
      if (location === null) throw new Error(`no redirect: ${response.status} ${await response.text()}`)
      return new URL(location).searchParams
    },
  }
}

function keep(cookies: Map<string, string>, response: Response): void {
  for (const cookie of response.headers.getSetCookie()) {
    const [pair = ''] = cookie.split(';')
    const at = pair.indexOf('=')
    cookies.set(pair.slice(0, at), pair.slice(at + 1))
  }
}

/** The cookies of a browser as a header. */
export function headerOf(cookies: ReadonlyMap<string, string>): string {
  return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
}
