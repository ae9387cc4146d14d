/** The facts about a failed attempt. */
export interface FailedAttempt {
  /** Whether it may be repeated: a GET, or a POST with a key. */
  readonly isSafe: boolean
  /** The number of the attempt, from 1. */
  readonly attempt: number
  readonly maxRetries: number
  readonly code: string
  /** null: no response. */
  readonly status: number | null
  /** The delay that the service asked for. */
  readonly retryAfterMs: number | null
  /** From 0 to below 1. */
  readonly random: number
}

/** The maximum wait before the next attempt; a longer one is in the error's `retryAfterMs`. */
export const MAX_WAIT_MS = 60_000
const FIRST_BACKOFF_MS = 250
const MAX_BACKOFF_MS = 8_000

/** A proxy in front of the service may return these too, in another format. */
const PASSING_STATUSES: readonly (number | null)[] = [429, 502, 503, 504]

/**
 * The delay before the same request is sent again; null: it is not. A request that is not safe to repeat is sent again
 * only if it was refused unread.
 */
export function decideRetry(failed: FailedAttempt): number | null {
  const { attempt, maxRetries, retryAfterMs, random } = failed
  if (attempt > maxRetries || !passes(failed)) return null
  if (retryAfterMs !== null && retryAfterMs > MAX_WAIT_MS) return null
  const backoffMs = Math.min(FIRST_BACKOFF_MS * 2 ** (attempt - 1), MAX_BACKOFF_MS)
  return Math.min((retryAfterMs ?? 0) + random * backoffMs, MAX_WAIT_MS)
}

/** Whether the same request may succeed later, and may be sent again. */
function passes({ isSafe, code, status, retryAfterMs }: FailedAttempt): boolean {
  if (status === 429) return true
  if (!isSafe) return false
  // The first request with this key is still running, and its response is ours too.
  if (code === 'idempotency_error') return retryAfterMs !== null
  return code === 'network_error' || code === 'timeout' || PASSING_STATUSES.includes(status)
}

/** The three forms of a date in HTTP (RFC 9110, 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT` and two old ones. */
const HTTP_DATE =
  /^(?:[A-Z][a-z]+, \d\d([ -])[A-Z][a-z]{2}\1\d{2,4} [\d:]{8} GMT|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4})$/

/** The header `Retry-After`, seconds or a date, as milliseconds from now; null when it is neither. */
export function retryAfterMsOf(header: string | null, nowMs: number): number | null {
  if (header === null) return null
  const text = header.trim()
  if (/^\d{1,10}(?:\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1_000)
  if (!HTTP_DATE.test(text)) return null
  // One of the old forms names no zone, and all are in GMT.
  const atMs = Date.parse(text.endsWith(' GMT') ? text : `${text} GMT`)
  return Number.isFinite(atMs) ? Math.max(0, atMs - nowMs) : null
}
