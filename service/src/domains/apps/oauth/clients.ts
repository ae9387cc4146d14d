import { openGuardedFetch, readAtMost } from '@batua/outgoing'
import type { Payload } from './records.ts'

/** More than any client's metadata has. */
export const MAX_METADATA_BYTES = 32 * 1024

const FETCH_TIMEOUT_MS = 5_000
/** Anybody who asks for a connection makes the service fetch a document. */
const FETCHES_AT_ONCE = 20

/** What is known about a client that registers itself. Everything else that it says about itself is dropped. */
const REGISTERED = [
  'client_name',
  'grant_types',
  'response_types',
  'redirect_uris',
  'token_endpoint_auth_method',
]

/** What a document says too, or must not say: the library refuses a secret. */
const IN_DOCUMENT = [...REGISTERED, 'client_id', 'client_secret', 'client_secret_expires_at']

const MAX_REDIRECTS = 20
const MAX_REDIRECT_LENGTH = 1_000
const MAX_NAME_LENGTH = 100
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * The metadata of a client as it is used: only what is known, and within bounds. Of a grant or response type that is
 * not offered here, nothing comes; a client that is a program on a person's machine is `native`, which lets its port
 * change.
 */
export function clientMetadata(given: unknown, names: readonly string[] = REGISTERED): Payload {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return {}
  const known: Payload = {}
  for (const name of names) {
    if (Object.hasOwn(given, name)) known[name] = Reflect.get(given, name)
  }
  const { client_name: name, redirect_uris: redirects } = known
  if (name !== undefined) known['client_name'] = typeof name === 'string' ? shownName(name) : ''
  const uris = Array.isArray(redirects) ? redirects.filter(uri => typeof uri === 'string') : []
  if (uris.length > MAX_REDIRECTS || uris.some(uri => uri.length > MAX_REDIRECT_LENGTH)) return {}
  return {
    ...known,
    application_type: uris.some(uri => isOfThisMachine(uri)) ? 'native' : 'web',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  }
}

/** A redirect to a program: a loopback address, or a scheme of its own. */
function isOfThisMachine(uri: string): boolean {
  const url = URL.parse(uri)
  if (url === null) return false
  return url.protocol === 'http:' ? LOOPBACK.has(url.hostname) : url.protocol !== 'https:'
}

/** Whether a response may be sent there: by https, to this machine, or to a program by its own scheme. */
export function isSafeRedirect(uri: string): boolean {
  const url = URL.parse(uri)
  if (url === null || url.username !== '' || url.password !== '') return false
  return url.protocol !== 'http:' || LOOPBACK.has(url.hostname)
}

/** The name on one line, without characters that hide or reorder others. */
function shownName(name: string): string {
  return name
    .normalize()
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
    .trim()
    .slice(0, MAX_NAME_LENGTH)
}

export interface ClientDocuments {
  /** `fetch` for the library, which reads documents of https addresses itself. */
  readonly fetch: typeof fetch
  /** The document of a client on a loopback address, for developers; null: it is no such address, or there is none. */
  findLocal(clientId: string): Promise<Payload | null>
  close(): Promise<void>
}

/** Client id metadata documents: an address is the client's id, and what is read there says who it is. */
export function openClientDocuments(mode: 'sandbox' | 'live'): ClientDocuments {
  const guarded = openGuardedFetch({ mode, maxBodyBytes: MAX_METADATA_BYTES })
  let fetching = 0

  async function readDocument(url: string): Promise<Payload> {
    if (fetching >= FETCHES_AT_ONCE) throw new Error('too many documents are read at this moment')
    fetching += 1
    try {
      const response = await guarded.fetch(url, {
        headers: { accept: 'application/json' },
        redirect: 'error',
        signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
      })
      if (response.status !== 200) throw new Error(`the document was answered with ${response.status}`)
      const { bytes, isWhole } = await readAtMost(response, MAX_METADATA_BYTES)
      if (!isWhole) throw new Error('the document is too long')
      return clientMetadata(JSON.parse(bytes.toString()), IN_DOCUMENT)
    } finally {
      fetching -= 1
    }
  }

  return {
    fetch: async input =>
      Response.json(await readDocument(input instanceof Request ? input.url : input.toString())),
    async findLocal(clientId) {
      if (mode === 'live' || !isLocalDocument(clientId)) return null
      const found = await readDocument(clientId).catch(() => null)
      if (found?.['client_id'] !== clientId) return null
      const { token_endpoint_auth_method: method = 'none', client_secret: secret } = found
      return method === 'none' && secret === undefined
        ? { ...found, token_endpoint_auth_method: 'none' }
        : null
    },
    close: () => guarded.close(),
  }
}

function isLocalDocument(clientId: string): boolean {
  const url = URL.parse(clientId)
  return url !== null && url.protocol === 'http:' && LOOPBACK.has(url.hostname) && url.href === clientId
}
