import { setTimeout as delay } from 'node:timers/promises'
import { type AnyBatuaError, type CallOptions, isBatuaError } from '@batua/sdk'
import { EXIT, Failure, wasUnreached } from './failure.ts'
import type { Session } from './session.ts'

/** A change that must happen once. */
export interface Change {
  /** In words, such as `the payment of 50.00 INR to seller`. */
  readonly what: string
  /** Named when the outcome is unknown: the same command with it finds the outcome. */
  readonly key: string
  /** Whether the key is in the body, where it also finds what the change has become since; then no header has it. */
  readonly isInBody?: boolean
}

const MAX_ATTEMPTS = 3
/** Nobody waits long on a command line. */
const MAX_WAIT_MS = 10_000
const BACKOFF_MS = 300

/**
 * Sends a change, and again under the same key where that may help. A failure after which the change may have been made
 * ends with exit code 10 and names the key.
 */
export async function change<T>(
  session: Session,
  wanted: Change,
  send: (options: CallOptions) => Promise<T>,
): Promise<T> {
  const { signal } = session
  const options = { idempotencyKey: wanted.isInBody ? null : wanted.key, maxRetries: 0, signal }
  let wasLost = false
  signal.throwIfAborted()
  for (let attempt = 1; ; attempt++) {
    try {
      return await send(options)
    } catch (error) {
      if (signal.aborted) throw unknownOutcome(session, wanted, 'interrupted', 'Interrupted')
      if (!isBatuaError(error)) throw error
      wasLost ||= isLost(error)
      const delayMs = delayBeforeNext(error, attempt)
      if (delayMs === null) {
        if (isLost(error) || (wasLost && isPassing(error)))
          throw unknownOutcome(session, wanted, error.code, error.message)
        throw error
      }
      await delay(delayMs, undefined, { signal }).catch(() => undefined)
      if (signal.aborted && wasLost) throw unknownOutcome(session, wanted, 'interrupted', 'Interrupted')
      signal.throwIfAborted()
    }
  }
}

/** Whether the change may have been made in spite of this failure. */
function isLost(error: AnyBatuaError): boolean {
  const { code, status, details } = error
  if (code === 'network_error') return !wasUnreached(error)
  if (code === 'timeout' || code === 'internal_error') return true
  if (code === 'invalid_response') return (status ?? 0) < 300 || (status ?? 0) >= 500
  return 'outcome' in details && details.outcome === 'unknown'
}

/** Whether a failure says nothing about an earlier attempt. */
function isPassing({ code, status }: AnyBatuaError): boolean {
  return code === 'network_error' || status === 429 || (status ?? 0) >= 500 || code === 'authentication_error'
}

function delayBeforeNext(error: AnyBatuaError, attempt: number): number | null {
  const { code, status, retryAfterMs } = error
  // A timeout has used up most of a person's patience.
  if (attempt >= (code === 'timeout' ? 2 : MAX_ATTEMPTS)) return null
  const isRunning = code === 'idempotency_error' && retryAfterMs !== null
  const passes =
    isRunning || code === 'timeout' || code === 'network_error' || [429, 502, 503, 504].includes(status ?? 0)
  if (!passes) return null
  const waitMs = (retryAfterMs ?? 0) + BACKOFF_MS * 2 ** (attempt - 1)
  return waitMs > MAX_WAIT_MS ? null : waitMs
}

function unknownOutcome(session: Session, { what, key }: Change, code: string, because: string): Failure {
  return new Failure({
    exit: EXIT.unknown,
    code,
    message: `${because}. It is unknown whether ${what} was made`,
    details: { outcome: 'unknown', idempotency_key: key },
    hints: [
      `idempotency key: ${key}`,
      `Repeat it with this key to find out. It is never made twice:`,
      `  ${repeated(session.args, key)}`,
    ],
  })
}

/** The command as it was typed, with the key. */
export function repeated(args: readonly string[], key: string): string {
  const hasKey = args.some(arg => arg === '--idempotency-key' || arg.startsWith('--idempotency-key='))
  const words = hasKey ? args : [...args, '--idempotency-key', key]
  return ['batua', ...words].map(quoted).join(' ')
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
