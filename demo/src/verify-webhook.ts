import type { IncomingHttpHeaders } from 'node:http'
import { Webhook } from 'standardwebhooks'

/** The content of a genuine webhook. An unknown event name was added later. */
export interface WebhookContent {
  readonly id: string
  readonly event: string
  readonly data: Readonly<Record<string, unknown>>
}

export type Verification =
  | { readonly verified: true; readonly content: WebhookContent }
  /** `reason` is half a sentence, for the developer. */
  | { readonly verified: false; readonly reason: string }

/** The library's errors, and their meaning here. */
const REASONS: Readonly<Record<string, string>> = {
  'Missing required headers': 'it is not signed at all',
  'Invalid Signature Headers': 'its webhook-timestamp is no time',
  'Message timestamp too old': 'it was signed more than five minutes ago, or this machine’s clock is ahead',
  'Message timestamp too new': 'it is signed for a time to come: is this machine’s clock behind?',
  'No matching signature found': 'another secret signed it, or it was changed on the way',
}

/** Whether one of these secrets signed exactly this text. Several are valid while a secret is rotated. */
export function verifyWebhook(
  secrets: readonly string[],
  headers: IncomingHttpHeaders,
  text: string,
): Verification {
  let reason = 'there is no secret to check it with'
  for (const secret of secrets) {
    try {
      return readContent(new Webhook(secret).verify(text, singleHeaders(headers)))
    } catch (error) {
      reason = reasonOf(error)
    }
  }
  return { verified: false, reason }
}

function readContent(body: unknown): Verification {
  if (isContent(body)) return { verified: true, content: body }
  return { verified: false, reason: 'its signature is good, but its body is no webhook of this service' }
}

function isContent(body: unknown): body is WebhookContent {
  if (typeof body !== 'object' || body === null) return false
  const { id, event, data } = body as Partial<Record<string, unknown>>
  return typeof id === 'string' && typeof event === 'string' && typeof data === 'object' && data !== null
}

function reasonOf(error: unknown): string {
  // The library parses only what a secret has signed.
  if (error instanceof SyntaxError) return 'its signature is good, but its body is no JSON'
  const message = error instanceof Error ? error.message : String(error)
  return REASONS[message] ?? message
}

function singleHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const single = Object.entries(headers).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  return Object.fromEntries(single)
}
