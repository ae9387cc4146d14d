import type { DifferenceKind } from '@batua/contract'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Paise } from '../../../kernel/money.ts'

/** What a subject is, and so how it is rechecked. A `transfer` has no row; a `listing` is a span of records. */
type About = 'funding' | 'refund' | 'payout' | 'transfer' | 'record' | 'settlement' | 'listing'

/** What was compared. */
export interface Subject {
  readonly about: About
  readonly gateway: string
  /** Its public id. */
  readonly subject: string
  readonly agentId: Uuid | null
  /** When it began here, or moved at the gateway. */
  readonly happenedAt: Date
}

/** One way in which the two sides differ about a subject. */
export interface Found {
  readonly kind: DifferenceKind
  /** Identifies one of several of a kind on one subject; empty if there can be only one. */
  readonly item: string
  readonly ours: string | null
  readonly theirs: string | null
  /** The amount that is in question. */
  readonly amountPaise: Paise
}

/** The comparison of one subject; nothing found: both sides agree. */
export interface Outcome {
  readonly subject: Subject
  readonly found: readonly Found[]
}

/** A difference that is open until a comparison finds it resolved. */
export interface OpenDifference extends Subject, Found {
  readonly id: Uuid
  readonly foundAt: Date
}

/** The gateway did not respond, so it is not known whether the sides agree. */
export function unchecked(ours: string | null, amountPaise: Paise): Found {
  return { kind: 'unchecked', item: '', ours, theirs: null, amountPaise }
}

export function isUnchecked({ found }: Pick<Outcome, 'found'>): boolean {
  return found.some(({ kind }) => kind === 'unchecked')
}

/** A check that is overdue by this much is not made any more. */
export const OVERDUE_MS = 60 * 60_000
/** The gateway's webhook about what has just moved may still be on its way. */
export const WEBHOOK_MS = 10 * 60_000
/** A refund is sent at once and retried for hours; a bank may take days. */
export const REFUND_SENT_WITHIN_MS = 24 * 60 * 60_000
export const REFUND_DONE_WITHIN_MS = 10 * 24 * 60 * 60_000

/** Whether the service will still learn what the gateway knows: by a check that is due, or by a webhook. */
export function isAwaited(nextCheckAt: Date | null, movedAt: Date | null, now: Date): boolean {
  return isWithin(nextCheckAt, OVERDUE_MS, now) || isWithin(movedAt, WEBHOOK_MS, now)
}

export function isWithin(since: Date | null, graceMs: number, now: Date): boolean {
  return since !== null && now.getTime() < since.getTime() + graceMs
}
