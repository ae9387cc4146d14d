import type { Credential } from '@batua/contract'
import type { FastifyRequest } from 'fastify'
import { type Refusal, refuse } from '../../kernel/app-error.ts'
import { type Authenticators, type Caller, type MaybePromise, PUBLIC_CALLER, whenReady } from '../caller.ts'
import type { CredentialLookups } from './credential-lookups.ts'
import { SESSION_KINDS, type SessionKind, sessionTokensIn } from './session-cookies.ts'

/** Why a request is refused, and which session cookies are no longer valid. */
export interface Denial extends Refusal {
  readonly deadSessions: readonly SessionKind[]
}

/** Finds the caller of one route by the credentials in a request's headers. */
export type Authenticate = (request: FastifyRequest) => MaybePromise<Caller | Denial>

const HEADERS_OF: Record<Credential, string> = {
  platform: 'the headers x-platform-id and x-platform-secret',
  agent: 'the header x-agent-key',
  owner: 'an owner session (POST /v1/auth/verify-otp)',
  admin: 'an administrator session (POST /v1/admin/auth/verify-otp)',
}

const WRONG: Record<Credential, string> = {
  platform:
    'The platform id or secret is wrong; send both x-platform-id and x-platform-secret as they were issued',
  agent:
    'The agent key is wrong or was replaced, or its agent is deactivated; send the current one as x-agent-key',
  owner: 'The owner session is over; log in again (POST /v1/auth/send-otp)',
  admin: 'The administrator session is over; log in again (POST /v1/admin/auth/send-otp)',
}

const PLATFORM_SESSION_OVER = 'The platform session is over; log in again (POST /v1/auth/platform)'

const APP_ENDED = 'This app is no longer connected; its owner has to connect it again'

type Presented = MaybePromise<Caller | null>

/** The credentials of a request, each with its look-up in progress. */
interface PresentedCredentials {
  readonly callers: Map<Credential, Presented>
  /** The kinds that are session cookies. */
  readonly sessions: readonly SessionKind[]
}

/**
 * Every credential that a request carries must be valid, also one of a kind that the route does not take; then one
 * that the route takes must be among them, the first in the order of `who` (contract section 2). A public route takes
 * any or none.
 */
export function authenticatorFor(
  who: readonly Credential[],
  authenticators: Authenticators,
  lookups: CredentialLookups,
): Authenticate {
  const missing = deny(`This route needs ${who.map(kind => HEADERS_OF[kind]).join(' or ')}`)
  const nobody = who.length === 0 ? PUBLIC_CALLER : missing
  const agentAlone = who.length === 0 || who.includes('agent')

  return request => {
    const { headers } = request
    const agentKey = headers['x-agent-key']
    const others = headers['x-platform-id'] ?? headers['x-platform-secret'] ?? headers.cookie
    const ofApp = typeof agentKey === 'string' ? authenticators.appCall?.(agentKey) : undefined
    if (ofApp !== undefined) return whenReady(ofApp, caller => caller ?? deny(APP_ENDED))
    // The path of payments: a single agent key needs no list and, when it is cached, no promise.
    if (typeof agentKey === 'string' && others === undefined && agentAlone) {
      const remembered = authenticators.rememberedAgent?.(agentKey)
      if (remembered !== undefined) return remembered
      const found = lookups.lookUp(request, 'agent', agentKey, () => authenticators.agent(agentKey))
      return whenReady(found, caller => caller ?? deny(WRONG.agent))
    }
    const presented = presentedIn(request, authenticators, lookups)
    if (presented.callers.size === 0) return nobody
    return whenReady(allOf(presented.callers), callers => choose(callers, presented.sessions, who, missing))
  }
}

/** A platform that sends its secret needs no session, so its session cookie does not count beside the secret. */
function presentedIn(
  request: FastifyRequest,
  authenticators: Authenticators,
  lookups: CredentialLookups,
): PresentedCredentials {
  const { headers } = request
  const presented = new Map<Credential, Presented>()
  const look = (kind: Credential, credential: string, find: () => Presented) =>
    presented.set(kind, lookups.lookUp(request, kind, credential, find))
  const id = single(headers['x-platform-id'])
  const secret = single(headers['x-platform-secret'])
  if (id !== undefined && secret !== undefined) {
    look('platform', `${id} ${secret}`, () => authenticators.platform(id, secret))
  } else if (id !== undefined || secret !== undefined) presented.set('platform', null)
  const agentKey = single(headers['x-agent-key'])
  if (agentKey !== undefined) look('agent', agentKey, () => authenticators.agent(agentKey))
  const tokens = countedSessions(request)
  const finders = {
    owner: authenticators.owner,
    admin: authenticators.admin,
    platform: presented.has('platform') ? undefined : authenticators.platformSession,
  }
  const sessions = SESSION_KINDS.filter(kind => tokens[kind] !== undefined && finders[kind] !== undefined)
  for (const kind of sessions) {
    const [token, find] = [tokens[kind], finders[kind]]
    if (token !== undefined && find) look(kind, token, () => find(token))
  }
  return { callers: presented, sessions }
}

/**
 * The session cookies that count: all, or only that of the kind which `X-Session` names. A browser that is logged in as an
 * owner and as an administrator sends both cookies with every request, and the page knows which one it means.
 */
function countedSessions({ headers }: FastifyRequest): Partial<Record<SessionKind, string>> {
  const tokens = sessionTokensIn(headers.cookie)
  const named = headers['x-session']
  if (named === undefined) return tokens
  const kind = SESSION_KINDS.find(known => known === named)
  const token = kind === undefined ? undefined : tokens[kind]
  return kind === undefined || token === undefined ? {} : { [kind]: token }
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header
}

function choose(
  callers: ReadonlyMap<Credential, Caller | null>,
  sessions: readonly SessionKind[],
  who: readonly Credential[],
  missing: Denial,
): Caller | Denial {
  for (const [kind, caller] of callers) {
    if (caller !== null) continue
    return deny(
      kind === 'platform' && sessions.includes(kind) ? PLATFORM_SESSION_OVER : WRONG[kind],
      sessions.filter(session => callers.get(session) === null),
    )
  }
  const accepted = who.length === 0 ? [...callers.keys()] : who
  for (const kind of accepted) {
    const caller = callers.get(kind)
    if (caller) return caller
  }
  return missing
}

function deny(message: string, deadSessions: readonly SessionKind[] = []): Denial {
  return { ...refuse('authentication_error', message), deadSessions }
}

function allOf(presented: Map<Credential, Presented>): MaybePromise<Map<Credential, Caller | null>> {
  const known = new Map<Credential, Caller | null>()
  let waiting = false
  for (const [kind, caller] of presented) {
    if (caller instanceof Promise) waiting = true
    else known.set(kind, caller)
  }
  if (!waiting) return known
  return Promise.all([...presented].map(async ([kind, caller]) => [kind, await caller] as const)).then(
    entries => new Map(entries),
  )
}
