import type { IncomingHttpHeaders } from 'node:http'
import { type Refusal, refuse } from '../../kernel/app-error.ts'
import type { Caller } from '../caller.ts'

/** Refuses requests that a browser sent for another site, because it adds its cookies to them. */
export interface SameOriginRule {
  /** For a request of this caller. */
  change(method: string, headers: IncomingHttpHeaders, caller: Caller): Refusal | null
  /** For a login: another site's page must not log a browser in as another person. */
  login(headers: IncomingHttpHeaders): Refusal | null
}

const SAFE_METHODS: readonly string[] = ['GET', 'HEAD']

/**
 * An unsafe method with a session needs proof that this site's own page sent it (contract section 2). Browsers set both
 * headers and let no page change them, so at least one must be present and each present one must match. A login without
 * either does not come from a browser.
 */
export function sameOriginRule(baseUrl: string): SameOriginRule {
  const base = new URL(baseUrl)
  const crossSite = refuse(
    'authorization_error',
    `A change by a session cookie must come from this site: send the header Origin: ${base.origin} or Sec-Fetch-Site: same-origin`,
  )
  const crossSiteLogin = refuse(
    'authorization_error',
    `A login must come from this site: send the header Origin: ${base.origin}, or neither Origin nor Sec-Fetch-Site`,
  )
  return {
    change(method, headers, caller) {
      if (!isSession(caller)) return null
      if (SAFE_METHODS.includes(method)) return null
      return namesItsSite(headers) && namesNoOtherSite(headers, base) ? null : crossSite
    },
    login: headers => (namesNoOtherSite(headers, base) ? null : crossSiteLogin),
  }
}

function isSession(caller: Caller): boolean {
  return (
    caller.kind === 'owner' ||
    caller.kind === 'admin' ||
    (caller.kind === 'platform' && caller.sessionId !== undefined)
  )
}

function namesItsSite(headers: IncomingHttpHeaders): boolean {
  return headers.origin !== undefined || headers['sec-fetch-site'] !== undefined
}

function namesNoOtherSite(headers: IncomingHttpHeaders, base: URL): boolean {
  const { origin } = headers
  const site = headers['sec-fetch-site']
  const isOriginRight = origin === undefined || isOwnOrigin(origin, base, headers.host)
  return isOriginRight && (site === undefined || site === 'same-origin')
}

/** The public address, or the one that the request was sent to, because a console may be opened under another name. */
export function isOwnOrigin(origin: string, base: URL, host: string | undefined): boolean {
  if (origin === base.origin) return true
  const sender = URL.parse(origin)
  if (sender === null || sender.origin !== origin || sender.host === '') return false
  const isAsSafe = base.protocol !== 'https:' || sender.protocol === 'https:'
  return isAsSafe && sender.host === host?.toLowerCase()
}
