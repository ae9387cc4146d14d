import { isBatuaError } from '../client/errors.ts'
import type { CallOptions } from '../client/options.ts'
import { decideRetry } from '../client/retry.ts'
import { wait } from '../client/timeouts.ts'

/** The deadline of a request. */
export interface Deadline {
  readonly signal: AbortSignal
  leftMs(): number
}

export function deadlineIn(ms: number): Deadline {
  const endsAt = performance.now() + ms
  let signal: AbortSignal | undefined
  return {
    /** Made when something has to wait: most calls by voucher wait for nothing. */
    get signal() {
      signal ??= AbortSignal.timeout(Math.max(0, Math.ceil(endsAt - performance.now())))
      return signal
    },
    leftMs: () => endsAt - performance.now(),
  }
}

const MAX_RETRIES = 3

/**
 * Retries a call like the client, but only if the delay ends before the deadline. For a longer delay the
 * buyer has to wait; the response says how long.
 */
export async function askBefore<Result>(
  deadline: Deadline,
  ask: (options: CallOptions) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask({ signal: deadline.signal, maxRetries: 0 })
    } catch (error) {
      const delayMs = isBatuaError(error) ? delayAfter(error, attempt) : null
      if (delayMs === null || delayMs >= deadline.leftMs()) throw error
      await wait(delayMs, deadline.signal)
    }
  }
}

function delayAfter(
  error: { readonly code: string; readonly status: number | null; readonly retryAfterMs: number | null },
  attempt: number,
): number | null {
  const { code, status, retryAfterMs } = error
  const failed = { isSafe: true, attempt, maxRetries: MAX_RETRIES, code, status, retryAfterMs }
  return decideRetry({ ...failed, random: Math.random() })
}
