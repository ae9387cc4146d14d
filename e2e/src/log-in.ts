import { routes } from '@batua/contract'
import type { Api, Headers, Reply } from './api.ts'

export type SessionKind = 'owner' | 'admin'

/** The administrators of a service under test: the sandbox's own, and those whose sessions and passkeys are a test's subject. */
export const ADMIN_PHONES = {
  sandbox: '9999999999',
  loggingOut: '9888888888',
  endingSession: '9888888886',
  fresh: '9888888887',
  withPasskey: '9888888881',
} as const

/** The default administrator of a sandbox. */
export const ADMIN_PHONE = ADMIN_PHONES.sandbox

const LOGIN = {
  owner: { send: routes.sendOtp, verify: routes.verifyOtp },
  admin: { send: routes.sendAdminOtp, verify: routes.verifyAdminOtp },
} as const

/** Logs in by the code on the phone; returns the headers that a browser then sends from the service's own pages. */
export async function logIn(api: Api, phone: string, kind: SessionKind): Promise<Headers> {
  const { send, verify } = LOGIN[kind]
  await api.ok(send, { body: { phone } })
  const { code } = await api.ok(routes.getSandboxOtp, { params: { phone } })
  return headersOf(api, await api.send(verify, { body: { phone, code } }))
}

function headersOf({ address }: Api, reply: Reply): Headers {
  const [cookie] = reply.headers.getSetCookie()
  if (reply.status !== 200 || cookie === undefined)
    throw new Error(`no session: ${reply.status} ${reply.text}`)
  return { cookie: cookie.split(';')[0] ?? '', origin: address }
}

/** Logs a platform in; returns the headers that a browser then sends from the service's own pages. */
export async function logPlatformIn(
  api: Api,
  { id, secret }: { readonly id: string; readonly secret: string },
): Promise<Headers> {
  const reply = await api.send(routes.logInPlatform, { body: { platform_id: id, platform_secret: secret } })
  return headersOf(api, reply)
}

/** The id of the session with which these headers are sent. */
export async function ownSessionId(api: Api, headers: Headers): Promise<string> {
  const { sessions } = await api.ok(routes.listSessions, { headers })
  return sessions.find(({ current }) => current)?.session_id ?? ''
}

/** The token in a session's headers, which must appear nowhere else. */
export function tokenOf({ cookie = '' }: Headers): string {
  return cookie.slice(cookie.indexOf('=') + 1)
}

/** For each kind, a route that its session may read, to check whether the session is still valid. */
const READABLE = { owner: routes.getSession, admin: routes.listTiers } as const

/** Sessions by address and phone: a second code within 30 s is refused, so an existing session is used again until it
 * has ended.
 */
const known = new Map<string, Promise<Headers>>()

export async function sessionOf(api: Api, phone: string, kind: SessionKind): Promise<Headers> {
  const name = `${api.address} ${kind} ${phone}`
  const earlier = known.get(name)
  if (earlier !== undefined) {
    const headers = await earlier
    if ((await api.send(READABLE[kind], { headers })).status === 200) return headers
  }
  const session = logIn(api, phone, kind)
  known.set(name, session)
  return session
}
