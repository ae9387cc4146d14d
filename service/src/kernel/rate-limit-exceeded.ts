import { type Refusal, refuse } from './app-error.ts'

/** The state of a rate limit's budget. */
export interface BudgetState {
  readonly limit: number
  readonly remaining: number
  /** Seconds until the budget allows more. */
  readonly resetS: number
}

/** The headers with the state of the budget that a request was counted on. */
export function rateLimitHeaders({ limit, remaining, resetS }: BudgetState): Record<string, string> {
  return {
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(resetS),
  }
}

/**
 * Makes every 429, so that its headers agree: the remaining budget is 0, and `Retry-After` and `RateLimit-Reset` are
 * equal. `what` says which limit was reached; the message adds when to try again.
 */
export function rateLimitExceeded(what: string, limit: number, waitMs: number): Refusal {
  // Zero would make the client repeat at once, which would be refused again.
  const resetS = Math.max(1, Math.ceil(waitMs / 1_000))
  const headers = {
    ...rateLimitHeaders({ limit, remaining: 0, resetS }),
    'retry-after': String(resetS),
  }
  return refuse('rate_limit_exceeded', `${what}; try again in ${resetS} s`, { headers })
}
