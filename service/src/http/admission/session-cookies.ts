import { parseCookie, stringifySetCookie } from 'cookie'

/** The cookie of each kind of session, by its literal name (contract section 2). */
export const SESSION_COOKIES = {
  owner: 'service_session',
  admin: 'service_admin_session',
  platform: 'service_platform_session',
} as const

export type SessionKind = keyof typeof SESSION_COOKIES

export const SESSION_KINDS: readonly SessionKind[] = ['owner', 'admin', 'platform']

/**
 * The kinds of session that a code on a phone opens. Owners and administrators log in separately: a phone may be both,
 * with different codes and sessions.
 */
export type PhoneSessionKind = Exclude<SessionKind, 'platform'>

/** The session tokens that a Cookie header carries. */
export function sessionTokensIn(header: string | undefined): Partial<Record<SessionKind, string>> {
  if (header === undefined) return {}
  const cookies = parseCookie(header)
  const tokens: Partial<Record<SessionKind, string>> = {}
  for (const kind of SESSION_KINDS) {
    const token = cookies[SESSION_COOKIES[kind]]
    if (token !== undefined) tokens[kind] = token
  }
  return tokens
}

/** A Set-Cookie header for a session: no script can read it, and no form of another site sends it. */
export function sessionCookie(kind: SessionKind, token: string, maxAgeS: number, secure: boolean): string {
  return stringifySetCookie({
    name: SESSION_COOKIES[kind],
    value: token,
    httpOnly: true,
    sameSite: 'lax',
    path: '/',
    maxAge: maxAgeS,
    secure,
  })
}

/**
 * The cookie that a browser keeps after a login, one for each kind of login. It grants no access: it only identifies the
 * browser.
 */
const BROWSER_COOKIES = { owner: 'service_browser', admin: 'service_admin_browser' } as const

const BROWSER_KEPT_S = 180 * 86_400
/** Only login reads it. */
const BROWSER_PATHS = { owner: '/v1/auth', admin: '/v1/admin/auth' } as const

/** The token that identifies a browser, for one of the two logins. */
export function browserTokenIn(header: string | undefined, kind: PhoneSessionKind): string | undefined {
  return header === undefined ? undefined : parseCookie(header)[BROWSER_COOKIES[kind]]
}

export function browserCookie(kind: PhoneSessionKind, token: string, secure: boolean): string {
  return stringifySetCookie({
    name: BROWSER_COOKIES[kind],
    value: token,
    httpOnly: true,
    sameSite: 'lax',
    path: BROWSER_PATHS[kind],
    maxAge: BROWSER_KEPT_S,
    secure,
  })
}

/** A Set-Cookie header that deletes a session cookie. */
export function endedCookie(kind: SessionKind, secure: boolean): string {
  return sessionCookie(kind, '', 0, secure)
}
