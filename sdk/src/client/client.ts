import { type Api, ROUTES } from '../api/routes.ts'
import { type Connection, call } from './call.ts'
import type { CallOptions, ClientOptions, Credentials } from './options.ts'
import type { Input } from './request.ts'
import { checkTimeouts } from './timeouts.ts'

/** A client of the service: a method for each route, by its operationId. */
export type Client = Api & { readonly baseUrl: string }

const DEFAULT_TIMEOUT_MS = 30_000
const DEFAULT_MAX_RETRIES = 3

/** Shared by all copies of this package, so that a client of one copy works with another. */
const OPTIONS = Symbol.for('@batua/sdk options')

/**
 * A client with the given credentials. Its methods can be detached: `const { pay } = client` works. Throws a TypeError
 * or RangeError for an invalid option. Secrets never appear in errors, logs or JSON.
 */
export function createClient(options: ClientOptions): Client {
  const connection = connectionOf(options)
  const methods = Object.keys(ROUTES).map(name => {
    const operation = name as keyof Api
    const method = async (input: Input = {}, callOptions: CallOptions = {}) =>
      (await call(connection, operation, input, callOptions)).body
    return [name, method]
  })
  const client = { baseUrl: connection.baseUrl, ...Object.fromEntries(methods) } as Client
  // Not enumerable, and a function: neither a log nor JSON shows its content.
  return Object.defineProperty(client, OPTIONS, { value: () => options })
}

/** @internal The settings of a client. */
export function optionsOf(client: Client): ClientOptions {
  const { [OPTIONS]: options } = client as Client & { readonly [OPTIONS]?: () => ClientOptions }
  if (options === undefined)
    throw new TypeError('This client was not made by createClient, but perhaps a copy')
  return options()
}

/** @internal The credentials of a client. */
export function credentialOf(client: Client): Credentials {
  return optionsOf(client)
}

/** @internal The connection settings of these options. */
export function connectionOf(options: ClientOptions): Connection {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, maxRetries = DEFAULT_MAX_RETRIES, onRetry } = options
  checkTimeouts({ timeoutMs, maxRetries })
  const base = baseOf(options.baseUrl)
  return {
    baseUrl: base.origin + base.pathname.replace(/\/+$/, ''),
    headers: credentialHeaders(options, base.origin),
    // Called as a plain function: the global fetch refuses to be a method of another object.
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    timeoutMs,
    maxRetries,
    onRetry,
  }
}

function baseOf(baseUrl: string): URL {
  const base = URL.canParse(baseUrl) ? new URL(baseUrl) : null
  if (base === null) throw new TypeError(`baseUrl is not a URL: ${baseUrl}`)
  if (!/^https?:$/.test(base.protocol)) throw new TypeError('baseUrl must begin with https:// or http://')
  if (base.username !== '' || base.password !== '')
    throw new TypeError('baseUrl must not contain a user or password')
  if (base.search !== '' || base.hash !== '') throw new TypeError('baseUrl must not contain ? or #')
  return base
}

const PRINTABLE = /^[\x21-\x7e]+$/
/** In a Cookie header these start another cookie. */
const COOKIE_ENDS = /[;,]/

function credentialHeaders(credentials: Credentials, origin: string): Record<string, string> {
  const { agentKey, platformId, platformSecret, sessionToken, adminSessionToken } = credentials
  const sessions = { service_session: sessionToken, service_admin_session: adminSessionToken }
  const given = { agentKey, platformId, platformSecret, sessionToken, adminSessionToken }
  // Checked here, because fetch would quote an invalid one in its error.
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined && !isPrintable(value))
      throw new TypeError(`${name} is not one line of printable characters`)
  }
  for (const [name, value] of Object.entries({ sessionToken, adminSessionToken })) {
    if (value !== undefined && COOKIE_ENDS.test(value)) throw new TypeError(`${name} must not contain ; or ,`)
  }
  if ((platformId === undefined) !== (platformSecret === undefined))
    throw new TypeError('platformId and platformSecret must be given together')
  const cookie = Object.entries(sessions).flatMap(([name, token]) =>
    token === undefined ? [] : [`${name}=${token}`],
  )
  return {
    ...(agentKey === undefined ? {} : { 'x-agent-key': agentKey }),
    ...(platformId === undefined ? {} : { 'x-platform-id': platformId }),
    ...(platformSecret === undefined ? {} : { 'x-platform-secret': platformSecret }),
    // A change by a session has to come from the service's own site (contract section 2).
    ...(cookie.length === 0 ? {} : { cookie: cookie.join('; '), origin }),
  }
}

/** Checked for callers without types: null would be sent as the text `null`. */
function isPrintable(value: unknown): boolean {
  return typeof value === 'string' && PRINTABLE.test(value)
}
