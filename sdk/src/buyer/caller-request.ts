import { within } from '../client/timeouts.ts'
import { bodyOfRequest, NO_BODY, type RepeatableBody, repeatableBody } from './request-body.ts'
import { sha256 } from './sha-256.ts'

type Fetch = typeof globalThis.fetch

/** One request of a chain of redirects. */
export interface Hop {
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  readonly body: Uint8Array<ArrayBuffer> | null
}

/** A request of a caller of `fetch`, which can be sent once unchanged, and again with a proof. */
export interface CallerRequest {
  /** Without its fragment. */
  readonly url: URL
  readonly signal: AbortSignal | undefined
  readonly redirect: NonNullable<RequestInit['redirect']>
  /**
   * Identifies the same request of the same payer: SHA-256 of its key, method, address and body; null if the body can
   * be sent only once.
   */
  readonly key: string | null
  /** The first request of `resend`. */
  readonly hop: Hop
  /** The caller's settings at the time of the call: later changes have no effect. */
  send(): Promise<Response>
  /** With the caller's settings, but without following redirects; `through`: another `fetch`. */
  resend(hop: Hop, through?: Fetch): Promise<Response>
}

/** Parses the arguments of a `fetch`; null if they name no address, for which `fetch` throws the best error. */
export async function callerRequest(
  fetch: Fetch,
  agentKey: string,
  input: string | URL | Request,
  init: RequestInit | undefined,
): Promise<CallerRequest | null> {
  const source = isRequest(input) ? input : null
  const url = addressOf(input)
  if (url === null || source?.bodyUsed === true) return null

  const method = init?.method ?? source?.method ?? 'GET'
  const headers = new Headers(init?.headers ?? source?.headers)
  const target = isRequest(input) ? input : String(input)
  const given = init && (isRequest(init) ? settingsOf(init) : { ...init })
  const signal = (init?.signal === undefined ? source?.signal : init.signal) ?? undefined
  const redirect = init?.redirect ?? source?.redirect ?? 'follow'
  const ownBody = init?.body ?? null
  const body = await (ownBody === null ? bodyOf(source, signal) : repeatableBody(ownBody))
  const contentType = body?.contentType ?? null
  if (contentType !== null && !headers.has('content-type')) headers.set('content-type', contentType)
  const first = { method, headers, ...(ownBody !== null && { body: body?.bytes ?? ownBody }) }
  const hop: Hop = { url, method, headers, body: body?.bytes ?? null }
  return {
    url,
    signal,
    redirect,
    key: body && (await sha256(JSON.stringify([agentKey, method.toUpperCase(), url.href, body.digest]))),
    hop,
    send: () => fetch(target, given && { ...given, ...first }),
    resend: (next, through = fetch) => {
      const isElsewhere = next.url.href !== url.href || next.method !== method
      return through(source === null || isElsewhere ? next.url.href : source, {
        ...(source !== null && isElsewhere ? settingsOf(source) : {}),
        ...given,
        signal: signal ?? null,
        method: next.method,
        headers: next.headers,
        body: next.body,
        redirect: 'manual',
      })
    },
  }
}

function isRequest(input: string | URL | Request | RequestInit): input is Request {
  return typeof input === 'object' && 'clone' in input
}

function addressOf(input: string | URL | Request): URL | null {
  // Only a browser's page has an address to which others are relative.
  const { location } = globalThis as { readonly location?: { readonly href: string } }
  try {
    const url = new URL(isRequest(input) ? input.url : String(input), location?.href)
    url.hash = ''
    return url
  } catch {
    return null
  }
}

async function bodyOf(source: Request | null, signal: AbortSignal | undefined): Promise<RepeatableBody> {
  if (source === null || isBodiless(source.method)) return NO_BODY
  if (signal === undefined) return bodyOfRequest(source)
  // It may be a stream that never ends.
  return within(Number.POSITIVE_INFINITY, signal, () => bodyOfRequest(source))
}

export function isBodiless(method: string): boolean {
  return /^(?:get|head)$/i.test(method)
}

/** The settings of a `Request`, without its content. */
function settingsOf(source: Request): RequestInit {
  const { cache, credentials, integrity, keepalive, mode, redirect, referrer, referrerPolicy, signal } =
    source
  const settings = {
    cache,
    credentials,
    integrity,
    keepalive,
    mode,
    redirect,
    referrer,
    referrerPolicy,
    signal,
  }
  // The types of browsers do not have `duplex`, which a body that streams needs.
  const streaming = { ...settings, duplex: 'half' } as const
  return streaming
}
