import { type AgentStatus, type AuthorizationStatus, CLOSING_GRACE_SECONDS } from '@batua/contract'
import { DAY_MS } from '../../../kernel/clock.ts'
import type { AgentStops } from '../../limits/index.ts'
import { type Authorization, hasEnded } from './authorization.ts'

const GRACE_MS = CLOSING_GRACE_SECONDS * 1_000

/** The longest time for which the grace pauses. */
const MOST_STILL_MS = 90 * DAY_MS

/** What the state of an authorization depends on besides its row. */
export interface PayerState {
  readonly status: AgentStatus
  readonly stops: AgentStops
}

/** The closing of an authorization, in Unix milliseconds. */
export interface Closing {
  readonly sinceMs: number
  /** How long the payer's money had been blocked when it began. */
  readonly blockedMs: number
}

/** The state of an authorization at a moment. */
export interface Present {
  readonly status: AuthorizationStatus
  /** null: it is open, or has ended. */
  readonly closing: Closing | null
  /** When it ends; null: it is open, has ended, or the grace is paused. */
  readonly closesMs: number | null
  /** The grace is over, and the end is not written down yet. */
  readonly isOver: boolean
  /** When its state changes next by itself, as far as is known; null: it has ended. */
  readonly nextMs: number | null
}

/**
 * The state at a moment. It follows from the row and from when the payer was stopped, so it is the same whether the job
 * has written it down or not: the closing begins at expiry, or when the payer is paused or deactivated; captures then
 * count for the grace, which is paused while the payer's money is blocked.
 */
export function presentAt(authorization: Authorization, payer: PayerState, nowMs: number): Present {
  const { status, expiresAt } = authorization
  if (hasEnded(authorization)) {
    return { status, closing: null, closesMs: null, isOver: false, nextMs: null }
  }
  const closing = closingOf(authorization, payer, nowMs)
  if (closing === null) {
    const nextMs = expiresAt.getTime()
    return { status: 'open', closing, closesMs: null, isOver: false, nextMs }
  }
  const stillMs = blockedBy(payer.stops, nowMs) - closing.blockedMs
  const leftMs = MOST_STILL_MS - stillMs
  if (payer.stops.blockedSinceMs !== null && leftMs > 0) {
    return { status: 'closing', closing, closesMs: null, isOver: false, nextMs: nowMs + leftMs }
  }
  const closesMs = closing.sinceMs + (leftMs > 0 ? GRACE_MS + stillMs : MOST_STILL_MS)
  return { status: 'closing', closing, closesMs, isOver: closesMs <= nowMs, nextMs: closesMs }
}

/** How long the payer's money was blocked until a moment, in all. */
function blockedBy({ blockedSinceMs, blockedMs }: AgentStops, untilMs: number): number {
  return blockedMs + (blockedSinceMs === null ? 0 : Math.max(0, untilMs - blockedSinceMs))
}

/** The closing that was written down, or else the one that has begun by itself; null: none has. */
function closingOf(authorization: Authorization, payer: PayerState, nowMs: number): Closing | null {
  const { closingSince, closingBlockedMs } = authorization
  if (closingSince !== null) {
    return { sinceMs: closingSince.getTime(), blockedMs: Number(closingBlockedMs ?? 0n) }
  }
  const expiresMs = authorization.expiresAt.getTime()
  const sinceMs = Math.min(expiresMs, stoppedMs(authorization, payer, nowMs) ?? expiresMs)
  return sinceMs > nowMs ? null : closingAt(payer, sinceMs)
}

/** The closing that begins at this moment. */
export function closingAt({ stops }: PayerState, sinceMs: number): Closing {
  return { sinceMs, blockedMs: blockedBy(stops, sinceMs) }
}

/** When the payer was paused or deactivated after it had authorized; null: it was not. */
function stoppedMs(
  { createdAt }: Authorization,
  { status, stops }: PayerState,
  nowMs: number,
): number | null {
  const { pausedMs, deactivatedMs } = stops
  if (pausedMs !== null && pausedMs > createdAt.getTime()) return pausedMs
  if (status === 'deactivated') return deactivatedMs ?? nowMs
  return status === 'paused' ? (pausedMs ?? nowMs) : null
}
