import { createHash, randomBytes } from 'node:crypto'
import { cookieJar, SESSION_COOKIE } from '../cookies.ts'
import { EXIT, Failure } from '../failure.ts'

/** What an owner's browser and a client need. */
interface Connecting {
  readonly url: string
  readonly signal: AbortSignal
  /** Of the owner's session. */
  readonly sessionToken: string
  readonly agentId: string
}

/** The client listens nowhere: once the owner has allowed it, it is connected. */
const REDIRECT = 'http://127.0.0.1/callback'

/** Connects an app to an agent, as its client and the owner's browser do (OAuth 2.1 with PKCE). */
export async function connectApp({ url, signal, sessionToken, agentId }: Connecting): Promise<void> {
  const { fetch: browse, value, names } = cookieJar()
  const post = async (path: string, body: object, cookie = '') => {
    const headers = { 'content-type': 'application/json', origin: new URL(url).origin, cookie }
    return jsonOf(
      await fetch(new URL(path, url), { method: 'POST', headers, body: JSON.stringify(body), signal }),
    )
  }
  const { resource } = await jsonOf(
    await fetch(new URL('/.well-known/oauth-protected-resource/mcp', url), { signal }),
  )
  const { client_id } = await post('/oauth/register', {
    ...{ client_name: 'Triggered app', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' },
  })
  const asked = new URL('/oauth/authorize', url)
  asked.search = String(
    new URLSearchParams({
      ...{ response_type: 'code', client_id: String(client_id), redirect_uri: REDIRECT },
      ...{ resource: String(resource), code_challenge_method: 'S256' },
      code_challenge: createHash('sha256').update(randomBytes(32)).digest('base64url'),
    }),
  )
  const { headers } = await browse(asked, { redirect: 'manual', signal })
  const requestId = headers.get('location')?.split('/').at(-1) ?? ''
  const cookies = names().map(name => `${name}=${value(name)}`)
  await post(
    `/v1/connect/${requestId}/allow`,
    { agent_id: agentId, scopes: ['wallet:read', 'payments:write'], daily: 500, expires_in_days: 1 },
    [`${SESSION_COOKIE}=${sessionToken}`, ...cookies].join('; '),
  )
}

async function jsonOf(response: Response): Promise<Readonly<Record<string, unknown>>> {
  if (response.ok) return (await response.json()) as Record<string, unknown>
  const message = `${new URL(response.url).pathname} responded with ${response.status}: ${await response.text()}`
  throw new Failure({ exit: EXIT.failed, code: 'failed', message })
}
