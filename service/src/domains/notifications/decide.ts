import type { GatewayResult } from '../../gateways/gateway-result.ts'
import type { AttemptResult } from '../webhooks/index.ts'

/** The outcome of an attempt. Only a notification that certainly did not arrive is sent again. */
export type Outcome = MessageOutcome | { readonly kind: 'gone' }

export type MessageOutcome =
  | { readonly kind: 'sent' }
  | { readonly kind: 'retry'; readonly at: Date; readonly reason: string }
  /** It was refused for good, or nobody knows whether it arrived. */
  | { readonly kind: 'dropped'; readonly pausedUntil: Date; readonly reason: string }

/** A push service may ask for a pause of at most this long. */
const LONGEST_PAUSE_MS = 3_600_000

interface Attempted {
  /** Whether a connection was made. Without one nothing was sent. */
  readonly isStarted: boolean
  readonly now: Date
  /** The pause after this failure. */
  readonly pauseMs: number
}

/** What follows from the response of a push service (RFC 8030, sections 5 and 7.3). */
export function decidePush(result: AttemptResult, { isStarted, now, pauseMs }: Attempted): Outcome {
  const at = new Date(now.getTime() + pauseMs)
  if (result.kind === 'no_response') {
    const reason = result.error
    return isStarted ? { kind: 'dropped', pausedUntil: at, reason } : { kind: 'retry', at, reason }
  }
  const { status, retryAfter } = result
  if (status >= 200 && status <= 299) return { kind: 'sent' }
  if (status === 404 || status === 410) return { kind: 'gone' }
  const reason = `the push service returned ${status}`
  if (!isTemporary(status)) return { kind: 'dropped', pausedUntil: at, reason }
  const asked = Math.min(secondsIn(retryAfter) * 1_000, LONGEST_PAUSE_MS)
  return { kind: 'retry', at: new Date(now.getTime() + Math.max(pauseMs, asked)), reason }
}

/** It was asked too often, or is not available: it has not taken the request. Behind a 500 or 504 it may have. */
function isTemporary(status: number): boolean {
  return status === 429 || status === 503
}

function secondsIn(retryAfter: string | null): number {
  return retryAfter !== null && /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : 0
}

/** What follows from the response of the provider of messages. */
export function decideMessage(response: GatewayResult<'sent'>, at: Date): MessageOutcome {
  switch (response.kind) {
    case 'value':
      return { kind: 'sent' }
    case 'retryable':
      return { kind: 'retry', at, reason: response.message }
    case 'rejected': {
      const status = Number(response.code)
      return isTemporary(status)
        ? { kind: 'retry', at, reason: response.message }
        : { kind: 'dropped', pausedUntil: at, reason: response.message }
    }
    case 'unknown':
      return { kind: 'dropped', pausedUntil: at, reason: response.message }
  }
}
