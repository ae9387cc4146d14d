import { bodyOfRequest, NO_BODY, repeatableBody } from './request-body.ts'
import { sha256 } from './sha-256.ts'

type Fetch = typeof globalThis.fetch

/** One request of the chain that a paid request may become by redirects. */
export interface Hop {
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  readonly body: Uint8Array<ArrayBuffer> | null
}

/** A request as a caller of `fetch` made it, which can be sent as it is once, and again with a proof. */
export interface CallerRequest {
  /** Without its fragment. */
  readonly url: URL
  readonly signal: AbortSignal | undefined
  readonly redirect: NonNullable<RequestInit['redirect']>
  /**
   * Tells the same request of the same payer again: SHA-256 of its key, method, address and body; null when the body can
   * be sent only once.
   */
  readonly key: string | null
  /** What `resend` begins with. */
  readonly hop: Hop
  /** Exactly as the caller said it. */
  send(): Promise<Response>
  /** With the caller's settings, but without following redirects. */
  resend(hop: Hop): Promise<Response>
}

/** Understands the arguments of a `fetch`; null when they name no address, about which `fetch` itself complains best. */
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
  const body = await bodyOf(source, init)
  const contentType = body?.contentType ?? null
  if (contentType !== null && !headers.has('content-type')) headers.set('content-type', contentType)
  const signal = init?.signal === undefined ? source?.signal : init.signal
  const hop: Hop = { url, method, headers, body: body?.bytes ?? null }
  return {
    url,
    signal: signal ?? undefined,
    redirect: init?.redirect ?? source?.redirect ?? 'follow',
    key: body && (await sha256(JSON.stringify([agentKey, method.toUpperCase(), url.href, body.digest]))),
    hop,
    send: () => fetch(input, init),
    resend: next => {
      const isElsewhere = next.url.href !== url.href || next.method !== method
      const target = source === null || isElsewhere ? next.url.href : source
      return fetch(target, {
        ...(source !== null && isElsewhere ? settingsOf(source) : {}),
        ...init,
        signal: signal ?? null,
        method: next.method,
        headers: next.headers,
        body: next.body,
        redirect: 'manual',
      })
    },
  }
}

function isRequest(input: string | URL | Request): input is Request {
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

async function bodyOf(source: Request | null, init: RequestInit | undefined) {
  if (init?.body !== null && init?.body !== undefined) return repeatableBody(init.body)
  return source === null || isBodiless(source.method) ? NO_BODY : bodyOfRequest(source)
}

export function isBodiless(method: string): boolean {
  return /^(?:get|head)$/i.test(method)
}

/** What of a `Request` says how to send it, but not what. */
function settingsOf(source: Request): RequestInit {
  const { cache, credentials, integrity, keepalive, mode, referrer, referrerPolicy } = source
  return { cache, credentials, integrity, keepalive, mode, referrer, referrerPolicy }
}
