import { assert } from '../../../kernel/assert.ts'
import { DAY_MS, HOUR_MS } from '../../../kernel/clock.ts'
import type { AttemptResult, DeliveryOutcome } from './attempt.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS

/** The delay between the end of each failed attempt and the next one, before jitter. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
]

export const MAX_ATTEMPTS = RETRY_DELAYS_MS.length + 1

/** Each delay varies by this share both ways, so that deliveries that failed together are not retried together. */
const JITTER = 0.2

const MAX_RETRY_AFTER_MS = DAY_MS
const MAX_PAUSE_MS = HOUR_MS

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

/** Statuses that say the whole receiver is overloaded: its `Retry-After` pauses the endpoint, not only this delivery. */
const BUSY: readonly number[] = [429, 503]

const GONE = 410

/** What the outcome of an ended attempt depends on, apart from the response. */
export interface AttemptFacts {
  /** How many attempts were made, this one included. */
  readonly attempts: number
  readonly now: Date
  /** The same moment in real time, to which a receiver's dates refer. */
  readonly realNow: Date
  /** In [0, 1). */
  readonly random: number
}

/** The outcome of a delivery's attempt: delivered, retried later, or failed for good. */
export function decideOutcome(
  result: AttemptResult,
  { attempts, now, realNow, random }: AttemptFacts,
): DeliveryOutcome {
  assert(attempts >= 1, 'an attempt has ended')
  const responseStatus = result.kind === 'responded' ? result.status : null
  if (responseStatus !== null && responseStatus >= 200 && responseStatus < 300) {
    return { status: 'delivered', responseStatus }
  }
  const error = errorOf(result)
  if (responseStatus === GONE) return { status: 'failed', responseStatus, error, isGone: true }
  const delayMs = RETRY_DELAYS_MS[attempts - 1]
  if (delayMs === undefined) return { status: 'failed', responseStatus, error, isGone: false }
  const askedMs = result.kind === 'responded' ? retryAfterMs(result.retryAfter, realNow) : null
  const waitMs = Math.max(withJitter(delayMs, random), Math.min(askedMs ?? 0, MAX_RETRY_AFTER_MS))
  const isBusy = responseStatus !== null && BUSY.includes(responseStatus)
  return {
    status: 'pending',
    responseStatus,
    error,
    nextAttemptAt: later(now, waitMs),
    pausedUntil: isBusy && askedMs !== null ? later(now, Math.min(askedMs, MAX_PAUSE_MS)) : null,
  }
}

function withJitter(delayMs: number, random: number): number {
  return Math.round(delayMs * (1 - JITTER + 2 * JITTER * random))
}

function later(moment: Date, ms: number): Date {
  return new Date(moment.getTime() + ms)
}

/** For the platform's developers. The receiver's own text is not quoted: it may contain anything. */
function errorOf(result: AttemptResult): string {
  if (result.kind === 'no_response') return result.error
  const { status } = result
  if (REDIRECTS.includes(status)) return `The receiver redirected (${status}): redirects are not followed`
  if (status === GONE) {
    return 'The receiver responded with 410: nothing more is sent until webhook_url is set again'
  }
  return `The receiver responded with ${status}`
}

/** The three forms of a date in HTTP (RFC 9110, section 5.6.7). */
const HTTP_DATES: readonly RegExp[] = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
]

/** The delay that a `Retry-After` header asks for, in ms; null if it is invalid or in the past. */
export function retryAfterMs(text: string | null, now: Date): number | null {
  const value = text?.trim() ?? ''
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : untilDateMs(value, now)
  return ms > 0 ? ms : null
}

function untilDateMs(value: string, now: Date): number {
  if (!HTTP_DATES.some(form => form.test(value))) return Number.NaN
  return Date.parse(value.endsWith('GMT') ? value : `${value} GMT`) - now.getTime()
}
