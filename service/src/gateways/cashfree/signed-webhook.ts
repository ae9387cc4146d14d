import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { at, type ExactJson, parseExactJson, textAt } from '../exact-json.ts'

/** The signature of Cashfree's webhooks: base64(HMAC-SHA256(timestamp + raw body)), without a separator. */
export function signTimestamped(rawBody: Buffer | string, timestamp: string, secret: string): string {
  return createHmac('sha256', secret).update(timestamp).update(rawBody).digest('base64')
}

/** Whether one of the secrets made this signature; several count while a secret is being rotated. */
export function isSignedTimestamped(
  rawBody: Buffer,
  timestamp: unknown,
  signature: unknown,
  secrets: readonly string[],
): boolean {
  if (typeof timestamp !== 'string' || typeof signature !== 'string') return false
  const given = Buffer.from(signature)
  // All secrets are tried, so that the time taken does not depend on which one matches.
  return secrets
    .map(secret => sameBytes(given, Buffer.from(signTimestamped(rawBody, timestamp, secret))))
    .includes(true)
}

function sameBytes(left: Buffer, right: Buffer): boolean {
  return left.length === right.length && timingSafeEqual(left, right)
}

export interface SignedWebhook {
  readonly valid: boolean
  /** The digest of the raw bytes, the key of a webhook without an id. Empty when the signature is wrong. */
  readonly digest: string
  /** The parsed body of a webhook with a valid signature; null when it cannot be parsed. */
  readonly said: { readonly type: string; readonly data: ExactJson | undefined } | null
}

/** Reads a received webhook. The signature over the raw bytes is verified before anything is parsed. */
export function readSignedWebhook(
  rawBody: Buffer,
  headers: IncomingHttpHeaders,
  secrets: readonly string[],
): SignedWebhook {
  const timestamp = headers['x-webhook-timestamp']
  const valid = isSignedTimestamped(rawBody, timestamp, headers['x-webhook-signature'], secrets)
  if (!valid) return { valid, digest: '', said: null }
  const digest = createHash('sha256').update(rawBody).digest('hex')
  const body = parseExactJson(rawBody.toString('utf8'))
  const type = textAt(body, 'type')
  return { valid, digest, said: type === null ? null : { type, data: at(body, 'data') } }
}
