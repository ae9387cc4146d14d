import type { AppScope } from '@batua/contract'
import { AppError } from '../kernel/app-error.ts'
import { formatId, parseId, type Uuid } from '../kernel/ids.ts'

/** A platform's server, proved by its id and secret, or its developer's session. */
export interface PlatformCaller {
  readonly kind: 'platform'
  readonly platformId: Uuid
  /** Absent: it was proved by the secret. */
  readonly sessionId?: Uuid
}

/** A connected app, as it acts. */
export interface AppIdentity {
  readonly id: Uuid
  readonly name: string
}

/** An app that acts for an agent, and what its owner lets it do. */
export interface ActingApp extends AppIdentity {
  readonly scopes: readonly AppScope[]
}

/**
 * An agent, proved by its key, or an app that acts for it. The posting engine checks `keyHash` again inside the payment; of
 * an app, it checks that the app is still connected.
 */
export interface AgentCaller {
  readonly kind: 'agent'
  readonly agentId: Uuid
  readonly platformId: Uuid
  readonly ownerId: Uuid
  readonly keyHash: Buffer
  readonly app?: ActingApp
}

/** An owner's session. One phone may be an owner on several platforms. */
export interface OwnerCaller {
  readonly kind: 'owner'
  readonly ownerIds: readonly Uuid[]
  readonly sessionId: Uuid
}

/** An administrator's session. */
export interface AdminCaller {
  readonly kind: 'admin'
  readonly sessionId: Uuid
  /** Ten digits; shown and audited masked only. */
  readonly phone: string
}

/** A caller with a session. */
export type SessionCaller = OwnerCaller | AdminCaller | (PlatformCaller & { readonly sessionId: Uuid })

/** The caller of a public route without a credential. */
export interface PublicCaller {
  readonly kind: 'public'
}

export type Caller = PlatformCaller | AgentCaller | OwnerCaller | AdminCaller | PublicCaller

/**
 * Look up the caller of a credential, or null when it is wrong. The domains supply them. A result from memory is returned
 * without a promise, because the pay route makes ten thousand of these calls a second. Without `owner`, `admin` and
 * `platformSession`, session cookies are ignored.
 */
export interface Authenticators {
  platform(platformIdText: string, secret: string): MaybePromise<PlatformCaller | null>
  agent(agentKey: string): MaybePromise<AgentCaller | null>
  /** The same from memory alone. Only for routes that prove the key again when they act. */
  rememberedAgent?(agentKey: string): AgentCaller | undefined
  /** The access token of a connected app, for `/mcp` alone. */
  app?(token: string): MaybePromise<AgentCaller | null>
  /** The key of a call that this process makes for an app; undefined: it is no such key. */
  appCall?(key: string): MaybePromise<AgentCaller | null> | undefined
  /** The value of the cookie `service_session`. */
  owner?(session: string): MaybePromise<OwnerCaller | null>
  /** The value of the cookie `service_admin_session`. */
  admin?(session: string): MaybePromise<AdminCaller | null>
  /** The value of the cookie `service_platform_session`. */
  platformSession?(session: string): MaybePromise<PlatformCaller | null>
}

/** For public routes such as login, which ignore session cookies, valid or not. */
export function withoutSessions({ platform, agent, appCall }: Authenticators): Authenticators {
  return { platform, agent, ...(appCall === undefined ? {} : { appCall }) }
}

export const PUBLIC_CALLER: PublicCaller = { kind: 'public' }

/** The app by which an agent's request comes; null: none. */
export function appOfCaller(caller: Caller): AppIdentity | null {
  return caller.kind === 'agent' ? (caller.app ?? null) : null
}

/** A caller's name in keys and logs: its kind and the id that its credential proved, never the credential. */
export function callerName(caller: Caller): string {
  switch (caller.kind) {
    case 'agent':
      return caller.app === undefined ? `agent:${caller.agentId}` : `app:${caller.app.id}`
    case 'platform':
      return `platform:${caller.platformId}`
    case 'owner':
      return `owner:${caller.sessionId}`
    case 'admin':
      return `admin:${caller.sessionId}`
    case 'public':
      return 'public'
  }
}

/** A value or a promise of it. Hot paths return from memory and save the turn that a promise costs. */
export type MaybePromise<T> = T | Promise<T>

/** Calls `then` at once with a value, or when the promise resolves. */
export function whenReady<T, R>(
  value: MaybePromise<T>,
  then: (value: T) => MaybePromise<R>,
): MaybePromise<R> {
  return value instanceof Promise ? value.then(then) : then(value)
}

/** Which owner of the session a call means: the only one, or the one that it names in `owner_id`. */
export function ownerOfSession({ ownerIds }: OwnerCaller, named: string | undefined): Uuid {
  if (named !== undefined) {
    const id = parseId('own', named)
    if (id !== null && ownerIds.includes(id)) return id
    throw new AppError('not_found', 'This session has no owner with this id', { field: 'owner_id' })
  }
  const [only, ...others] = ownerIds
  if (only === undefined)
    throw new AppError('not_found', 'This session covers no owner yet; accept one of GET /v1/invitations')
  if (others.length === 0) return only
  throw new AppError('validation_error', 'This session covers several owners: say which one with owner_id', {
    field: 'owner_id',
    details: { owner_ids: ownerIds.map(id => formatId('own', id)) },
  })
}
