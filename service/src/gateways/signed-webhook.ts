import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { at, type ExactJson, parseExactJson, textAt } from './exact-json.ts'
import { isSignedTimestamped } from './webhook-signature.ts'

export interface SignedWebhook {
  readonly valid: boolean
  /** Of the raw bytes: names a webhook that says nothing better of itself. Empty when the signature is wrong. */
  readonly digest: string
  /** What it says, once the signature is proved; null when that cannot be read. */
  readonly said: { readonly type: string; readonly data: ExactJson | undefined } | null
}

/** Reads a webhook that came in. It is judged by its signature over the raw bytes, before anything is parsed. */
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
