import { Webhook } from 'standardwebhooks'
import type { Span } from '../../../kernel/tracing.ts'

/** The receiver's response to one request, or why there was none. Nothing in it quotes the receiver's text. */
export type AttemptResult =
  | { readonly kind: 'responded'; readonly status: number; readonly retryAfter: string | null }
  /** There was no response; `error` is a sentence for the platform's developers. */
  | { readonly kind: 'no_response'; readonly error: string }

/** One request as it goes out. */
export interface OutgoingRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

export interface OutgoingWebhook extends OutgoingRequest {
  /** The JSON text that was signed. */
  readonly body: string
}

/** The outcome of a delivery's attempt. */
export type DeliveryOutcome =
  | { readonly status: 'delivered'; readonly responseStatus: number }
  | {
      readonly status: 'pending'
      readonly responseStatus: number | null
      readonly error: string
      readonly nextAttemptAt: Date
      /** Until when the receiver asked for no requests. */
      readonly pausedUntil: Date | null
    }
  | {
      readonly status: 'failed'
      readonly responseStatus: number | null
      readonly error: string
      /** The receiver responded with 410: it wants no more webhooks. */
      readonly isGone: boolean
    }

const USER_AGENT = 'Batua-Webhooks/1.0'

/**
 * The headers of one attempt (Standard Webhooks), signed with every secret in force; `now` is the real time, because
 * receivers compare it with their own clock.
 */
export function signedHeaders(
  secrets: readonly string[],
  eventId: string,
  body: string,
  now: Date,
  span: Span | null = null,
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    'webhook-id': eventId,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': secrets.map(secret => new Webhook(secret).sign(eventId, now, body)).join(' '),
    ...(span === null ? {} : { traceparent: span.traceparent }),
  }
}

/** Ends the span of one attempt. */
export function endAttemptSpan(
  span: Span | null,
  delivery: { readonly eventId: string; readonly attempts: number },
  result: AttemptResult | null,
): void {
  const status = result?.kind === 'responded' ? result.status : null
  span?.end(
    {
      'batua.event_id': delivery.eventId,
      'batua.earlier_attempts': delivery.attempts,
      ...(status === null ? {} : { 'http.response.status_code': status }),
    },
    status === null || status > 299,
  )
}
