import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { at, type ExactJson, parseExactJson, textAt } from './exact-json.ts'
import { isSignedTimestamped } from './webhook-signature.ts'

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
