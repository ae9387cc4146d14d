import type { ErrorCode } from '@batua/contract'
import { AppError } from '../../kernel/app-error.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { MINUTE_MS } from './scope.ts'

export type SignalKind = 'policy_refusal' | 'failed_authentication' | 'wrong_login_code'

/** The service itself, as the subject of signals that concern no agent and no platform. */
export const SERVICE_SUBJECT: Uuid = '00000000-0000-0000-0000-000000000000'

/** Counts events of requests that leave no transfer. A call is one lookup in memory and never waits. */
export interface RiskSignals {
  /** A payment of this agent was refused by policy. */
  policyRefusal(agentId: Uuid): void
  /** A wrong secret was sent for a platform that exists. */
  failedPlatformAuthentication(platformId: Uuid): void
  /** A wrong code was sent in a login, for any phone. */
  wrongLoginCode(): void
}

/** The error codes of a refusal by policy: limits, thresholds, the payer's state, payee lists. */
const POLICY_REFUSALS: readonly ErrorCode[] = [
  'spend_limit_exceeded',
  'escrow_required',
  'policy_denied',
  'authorization_error',
]

/**
 * Whether a payment was refused by policy, and not because of the balance or an invalid request. Refusals of a paused
 * agent do not count: it does nothing wrong by trying.
 */
export function isPolicyRefusal(error: unknown): boolean {
  if (!(error instanceof AppError) || !POLICY_REFUSALS.includes(error.code)) return false
  return error.details?.['status'] !== 'paused'
}

/** How often something happened to a subject in one minute. */
export interface SignalCount {
  readonly subjectId: Uuid
  readonly kind: SignalKind
  readonly minuteMs: number
  readonly count: number
}

/** Keeps counts in memory until a job writes them. If the process crashes, the counts of about a second are lost. */
export interface SignalRecorder extends RiskSignals {
  /** Removes and returns at most this many counts. */
  take(atMost: number): SignalCount[]
  /** Puts back counts that could not be written. */
  putBack(counts: readonly SignalCount[]): void
}

const DEFAULT_MAX_COUNTS = 20_000
/** Far above any threshold, and far below the maximum of the column. */
const MAX_PER_COUNT = 1_000_000

/** Beyond `maxCounts` subjects and minutes, new ones are not counted, because callers could exhaust the memory. */
export function createSignalRecorder(clock: Clock, maxCounts = DEFAULT_MAX_COUNTS): SignalRecorder {
  const counts = new Map<string, SignalCount>()

  function add({ subjectId, kind, minuteMs, count }: SignalCount): void {
    const key = `${kind} ${subjectId} ${minuteMs}`
    const known = counts.get(key)
    if (known === undefined && counts.size >= maxCounts) return
    const total = Math.min(MAX_PER_COUNT, (known?.count ?? 0) + count)
    counts.set(key, { subjectId, kind, minuteMs, count: total })
  }

  function record(kind: SignalKind, subjectId: Uuid): void {
    const nowMs = clock.now().getTime()
    add({ subjectId, kind, minuteMs: nowMs - (nowMs % MINUTE_MS), count: 1 })
  }

  return {
    policyRefusal: agentId => record('policy_refusal', agentId),
    failedPlatformAuthentication: platformId => record('failed_authentication', platformId),
    wrongLoginCode: () => record('wrong_login_code', SERVICE_SUBJECT),
    take(atMost) {
      const taken: SignalCount[] = []
      for (const [key, count] of counts) {
        if (taken.length >= atMost) break
        taken.push(count)
        counts.delete(key)
      }
      return taken
    },
    putBack(back) {
      for (const count of back) add(count)
    },
  }
}
