import { type Refusal, refuse } from './app-error.ts'

/** How much of a budget is left. */
export interface BudgetState {
  readonly limit: number
  readonly remaining: number
  /** Seconds until the budget allows more. */
  readonly resetS: number
}

/** The headers that tell a caller about the budget that its request was counted on. */
export function rateLimitHeaders({ limit, remaining, resetS }: BudgetState): Record<string, string> {
  return {
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(resetS),
  }
}

/**
 * Every 429 is made here, so that its headers agree: nothing remains, and `Retry-After` and `RateLimit-Reset` name the
 * same moment. `what` says which limit was reached; the sentence goes on with when to try again.
 */
export function rateLimitExceeded(what: string, limit: number, waitMs: number): Refusal {
  // Zero would ask for a repetition at once, which is refused again.
  const resetS = Math.max(1, Math.ceil(waitMs / 1_000))
  const headers = {
    ...rateLimitHeaders({ limit, remaining: 0, resetS }),
    'retry-after': String(resetS),
  }
  return refuse('rate_limit_exceeded', `${what}; try again in ${resetS} s`, { headers })
}
