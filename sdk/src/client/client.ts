import { type Api, ROUTES } from '../api/routes.ts'
import { type Connection, call } from './call.ts'
import type { CallOptions, ClientOptions, Credentials } from './options.ts'
import { checkPatience } from './patience.ts'
import type { Input } from './request.ts'

/** A client of the service: a method for each route, by its operationId. */
export type Client = Api & { readonly baseUrl: string }

const DEFAULT_TIMEOUT_MS = 30_000
const DEFAULT_MAX_RETRIES = 3

/** Shared by all copies of this package, so that a client of one works with what is imported from another. */
const OPTIONS = Symbol.for('@batua/sdk options')

/**
 * A client that calls with the given credentials. Its methods can be detached: `const { pay } = client` works.
 * A TypeError or RangeError when an option cannot be used. Secrets stay out of errors, logs and JSON.
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
  // Not listed among the properties, and a function: neither a log nor JSON shows what it holds.
  return Object.defineProperty(client, OPTIONS, { value: () => options })
}

/** @internal What a client was made with. */
export function optionsOf(client: Client): ClientOptions {
  const { [OPTIONS]: options } = client as Client & { readonly [OPTIONS]?: () => ClientOptions }
  if (options === undefined)
    throw new TypeError('This is no client that createClient made, but perhaps a copy')
  return options()
}

/** @internal Whom a client calls as. */
export function credentialOf(client: Client): Credentials {
  return optionsOf(client)
}

/** @internal How a client of these options reaches the service. */
export function connectionOf(options: ClientOptions): Connection {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, maxRetries = DEFAULT_MAX_RETRIES, onRetry } = options
  checkPatience({ timeoutMs, maxRetries })
  const base = baseOf(options.baseUrl)
  return {
    baseUrl: base.origin + base.pathname.replace(/\/+$/, ''),
    headers: credentialHeaders(options, base.origin),
    // Called as a function of its own: the global one refuses to be a method of anything else.
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    timeoutMs,
    maxRetries,
    onRetry,
  }
}

function baseOf(baseUrl: string): URL {
  const base = URL.canParse(baseUrl) ? new URL(baseUrl) : null
  if (base === null) throw new TypeError(`baseUrl is no address: ${baseUrl}`)
  if (!/^https?:$/.test(base.protocol)) throw new TypeError('baseUrl begins with https:// or http://')
  if (base.username !== '' || base.password !== '') throw new TypeError('baseUrl holds no user and password')
  if (base.search !== '' || base.hash !== '')
    throw new TypeError('baseUrl ends with its path, without ? and #')
  return base
}

const PRINTABLE = /^[\x21-\x7e]+$/
/** In a header of cookies these begin another one. */
const COOKIE_ENDS = /[;,]/

function credentialHeaders(credentials: Credentials, origin: string): Record<string, string> {
  const { agentKey, platformId, platformSecret, sessionToken, adminSessionToken } = credentials
  const sessions = { service_session: sessionToken, service_admin_session: adminSessionToken }
  const given = { agentKey, platformId, platformSecret, sessionToken, adminSessionToken }
  // Checked here, because fetch would quote a bad one in its error.
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined && !isPrintable(value))
      throw new TypeError(`${name} is not one line of printable characters`)
  }
  for (const [name, value] of Object.entries({ sessionToken, adminSessionToken })) {
    if (value !== undefined && COOKIE_ENDS.test(value)) throw new TypeError(`${name} has a ; or , in it`)
  }
  if ((platformId === undefined) !== (platformSecret === undefined))
    throw new TypeError('platformId and platformSecret go together')
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
