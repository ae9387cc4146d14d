import type { WebhookEvent } from './api/types.ts'

/** Why a webhook was refused. */
export type WebhookRefusalReason =
  /** `webhook-id`, `webhook-timestamp` or `webhook-signature` is missing. */
  | 'missing_header'
  /** `webhook-timestamp` is not a whole number of seconds. */
  | 'invalid_timestamp'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  /** No signature matches the id, the timestamp and the body under one of the secrets. */
  | 'signature_mismatch'
  /** It is signed, but not an event. */
  | 'invalid_body'

/** A refused webhook. Respond with 400 or 401: the service retries it. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
  readonly reason: WebhookRefusalReason

  constructor(reason: WebhookRefusalReason, message: string) {
    super(message)
    this.reason = reason
  }
}

/** A request's headers: a `Headers`, those of node:http, or any record, in upper or lower case. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

export interface WebhookToVerify {
  /** The platform's `whsec_…`; both of them for the 24 hours after a rotation. */
  readonly secret: string | readonly string[]
  readonly headers: WebhookHeaders
  /** The request's body as received. A body that was parsed and serialised again does not verify. */
  readonly body: string | Uint8Array | ArrayBuffer
  /** The tolerance of the timestamp, before and after now; 300 s by default. */
  readonly toleranceSeconds?: number
  /** The receiver's time, for tests. */
  readonly now?: Date
}

const TOLERANCE_SECONDS = 5 * 60
/** Each signature costs a hash of the body; the service sends two at most. */
const MAX_SIGNATURES = 10
const SECRET_PREFIX = 'whsec_'
const MIN_SECRET_BYTES = 24
const HMAC = { name: 'HMAC', hash: 'SHA-256' }

/**
 * The event of a webhook, if it is genuine and fresh (Standard Webhooks): HMAC-SHA256 of
 * `{webhook-id}.{webhook-timestamp}.{body}`, compared in constant time. Deliveries can repeat: for an event whose `id`
 * was handled before, respond with 2xx and do nothing.
 *
 * @throws {WebhookVerificationError} It is refused; `reason` says why.
 * @throws {TypeError} The secret is invalid, or the body is not a string or bytes.
 */
export async function verifyWebhook(webhook: WebhookToVerify): Promise<WebhookEvent> {
  const { headers, toleranceSeconds = TOLERANCE_SECONDS, now = new Date() } = webhook
  const keys = await Promise.all([webhook.secret].flat().map(importKey))
  if (keys.length === 0) throw new TypeError('A webhook secret is needed')
  const body = bytesOf(webhook.body)
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const signatures = signaturesIn(headerOf(headers, 'webhook-signature'))
  checkTimestamp(timestamp, toleranceSeconds, now)
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), body)
  for (const key of keys) {
    for (const signature of signatures) {
      if (await crypto.subtle.verify(HMAC, key, signature, signed)) return eventIn(body)
    }
  }
  throw new WebhookVerificationError(
    'signature_mismatch',
    'No signature of the webhook fits its body and a secret; is the body as it was received?',
  )
}

async function importKey(secret: unknown) {
  // An unset variable gives undefined or an empty text, and with an empty key anyone can sign.
  const text = String(secret)
  const key = text.startsWith(SECRET_PREFIX) ? bytesInBase64(text.slice(SECRET_PREFIX.length)) : null
  if (key === null || key.length < MIN_SECRET_BYTES) {
    throw new TypeError(`A webhook secret must be ${SECRET_PREFIX} and base64, as the service returned it`)
  }
  return crypto.subtle.importKey('raw', key, HMAC, false, ['verify'])
}

function bytesOf(body: WebhookToVerify['body']): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  if (ArrayBuffer.isView(body)) return body
  if (body instanceof ArrayBuffer) return new Uint8Array(body)
  throw new TypeError('The body must be a string or bytes, as it was received: verify first, then parse')
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = isHeaders(headers) ? headers.get(name) : valueIn(headers, name)
  if (value === null || value === '') {
    throw new WebhookVerificationError('missing_header', `The webhook has no header ${name}`)
  }
  return value
}

function isHeaders(headers: WebhookHeaders): headers is Extract<WebhookHeaders, { get: unknown }> {
  return typeof headers['get'] === 'function'
}

function valueIn(headers: Exclude<WebhookHeaders, { get: unknown }>, name: string): string | null {
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? []
  if (value === undefined) return null
  return typeof value === 'string' ? value : value.join(' ')
}

/** Versions other than `v1` are for other receivers. */
function signaturesIn(list: string) {
  return list
    .split(' ')
    .filter(each => each.startsWith('v1,'))
    .slice(0, MAX_SIGNATURES)
    .map(each => bytesInBase64(each.slice('v1,'.length)))
    .filter(each => each !== null)
}

function checkTimestamp(timestamp: string, toleranceSeconds: number, now: Date): void {
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookVerificationError('invalid_timestamp', 'webhook-timestamp must be Unix seconds')
  }
  const ageSeconds = Math.floor(now.getTime() / 1_000) - Number(timestamp)
  const words = `from the receiver’s clock, above the ${toleranceSeconds} s that are allowed`
  if (ageSeconds < -toleranceSeconds) {
    throw new WebhookVerificationError('timestamp_too_new', `The webhook is ${-ageSeconds} s ahead, ${words}`)
  }
  // Written so that a tolerance or a time that is not a number refuses everything.
  if (!(ageSeconds <= toleranceSeconds)) {
    throw new WebhookVerificationError('timestamp_too_old', `The webhook is ${ageSeconds} s behind, ${words}`)
  }
}

function eventIn(body: Uint8Array): WebhookEvent {
  try {
    const event: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    if (typeof event === 'object' && event !== null && 'event' in event) return event as WebhookEvent
  } catch {
    // Reported below, like signed text that is not an object.
  }
  throw new WebhookVerificationError('invalid_body', 'The body of the webhook is signed, but is no event')
}

function joined(head: Uint8Array, tail: Uint8Array) {
  const bytes = new Uint8Array(head.length + tail.length)
  bytes.set(head)
  bytes.set(tail, head.length)
  return bytes
}

function bytesInBase64(text: string) {
  try {
    return Uint8Array.from(atob(text), character => character.charCodeAt(0))
  } catch {
    return null
  }
}
