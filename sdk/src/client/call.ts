import type { Api } from '../api/routes.ts'
import { type Download, downloadOf } from './download.ts'
import { isBatuaError } from './errors.ts'
import type { CallOptions, Retry } from './options.ts'
import { ownError } from './own-error.ts'
import { badInput, type Input, type PreparedRequest, prepareRequest } from './request.ts'
import { bodyOf, type Reply, readText } from './response.ts'
import { decideRetry } from './retry.ts'
import { checkTimeouts, TimeIsUp, wait, within } from './timeouts.ts'

/** The connection settings of a client. */
export interface Connection {
  /** Without a slash at its end. */
  readonly baseUrl: string
  /** The credentials; never shown. */
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: typeof fetch
  readonly timeoutMs: number
  readonly maxRetries: number
  readonly onRetry: ((retry: Retry) => void) | undefined
}

/** The result of a successful call. */
export interface Called {
  readonly body: unknown
  readonly headers: Headers
}

const IDEMPOTENCY_KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/

/** Calls a route, and retries where that is safe and may help. */
export async function call(
  connection: Connection,
  operation: keyof Api,
  input: Input,
  options: CallOptions,
): Promise<Called> {
  checkTimeouts(options)
  const request = prepareRequest(operation, input)
  const headers = headersOf(connection, request, options)
  const maxRetries = options.maxRetries ?? connection.maxRetries
  for (let attempt = 1; ; attempt++) {
    try {
      return await once(connection, request, headers, options)
    } catch (error) {
      if (!isBatuaError(error)) throw error
      const { code, status, retryAfterMs } = error
      const isSafe = isSafeToRepeat(request, options)
      const failed = { isSafe, attempt, maxRetries, code, status, retryAfterMs, random: Math.random() }
      const delayMs = decideRetry(failed)
      if (delayMs === null) throw error
      connection.onRetry?.({ operation, attempt, delayMs, code })
      await wait(delayMs, options.signal)
    }
  }
}

/** With its key a POST takes effect once, so it may be sent again like a GET. */
function isSafeToRepeat({ method }: PreparedRequest, { idempotencyKey }: CallOptions): boolean {
  return method === 'GET' || (method === 'POST' && idempotencyKey !== null)
}

/**
 * A new idempotency key, 128 random bits in hex. Not `crypto.randomUUID`: a page that was opened over http from another
 * machine does not have it.
 */
export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), byte =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}

/** The same for every attempt, so that a POST takes effect once. */
function headersOf(
  connection: Connection,
  { method, body, isDownload }: PreparedRequest,
  { idempotencyKey = newIdempotencyKey(), stepUp }: CallOptions,
): Record<string, string> {
  if (idempotencyKey !== null && !IDEMPOTENCY_KEY.test(idempotencyKey))
    throw badInput('An idempotency key is 1 to 255 printable ASCII characters', 'Idempotency-Key')
  return {
    accept: isDownload ? '*/*' : 'application/json',
    ...connection.headers,
    ...(body === null ? {} : { 'content-type': 'application/json' }),
    ...(stepUp === undefined ? {} : { 'x-step-up': base64OfJson(stepUp) }),
    ...(method === 'POST' && idempotencyKey !== null ? { 'idempotency-key': idempotencyKey } : {}),
  }
}

function base64OfJson(value: object): string {
  return btoa(String.fromCodePoint(...new TextEncoder().encode(JSON.stringify(value))))
}

async function once(
  connection: Connection,
  request: PreparedRequest,
  headers: Record<string, string>,
  { signal, timeoutMs = connection.timeoutMs }: CallOptions,
): Promise<Called> {
  try {
    const response = await within(timeoutMs, signal, ending =>
      send(connection, request, headers, { ending, signal }),
    )
    return { body: response.download ?? bodyOf(response, Date.now()), headers: response.headers }
  } catch (error) {
    if (isBatuaError(error) || signal?.aborted) throw error
    throw noResponse(error, connection.baseUrl, timeoutMs)
  }
}

interface Signals {
  /** Ends the request when its time is up. */
  readonly ending: AbortSignal
  /** The caller’s own, which also ends a download that is being read. */
  readonly signal: AbortSignal | undefined
}

async function send(
  { baseUrl, fetch }: Connection,
  { method, path, body, isDownload }: PreparedRequest,
  headers: Record<string, string>,
  { ending, signal: given }: Signals,
): Promise<Reply & { readonly download?: Download<unknown> }> {
  const signal = isDownload && given !== undefined ? AbortSignal.any([ending, given]) : ending
  // A redirect would send the credentials to its target, so none is followed.
  const response = await fetch(baseUrl + path, { method, headers, body, signal, redirect: 'manual' })
  const { status } = response
  if (isDownload && response.ok)
    return { status, headers: response.headers, text: null, download: downloadOf(response, baseUrl) }
  return { status, headers: response.headers, text: await readText(response) }
}

/** No response: the outcome is unknown. */
function noResponse(cause: unknown, baseUrl: string, timeoutMs: number): Error {
  return cause instanceof TimeIsUp
    ? ownError('timeout', `${baseUrl} did not respond within ${timeoutMs} ms`)
    : ownError('network_error', `${baseUrl} did not respond`, { cause })
}
