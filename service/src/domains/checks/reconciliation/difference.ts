import type { DifferenceKind } from '@batua/contract'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Paise } from '../../../kernel/money.ts'

/** What a subject is, and so how it is looked at again. A `transfer` has no row; a `listing` is a span of records. */
export type About = 'funding' | 'refund' | 'payout' | 'transfer' | 'record' | 'settlement' | 'listing'

/** What was compared. */
export interface Subject {
  readonly about: About
  readonly gateway: string
  /** Its id as people know it. */
  readonly subject: string
  readonly agentId: Uuid | null
  /** When it began here, or moved at the gateway. */
  readonly happenedAt: Date
}

/** One thing that the two sides tell differently about a subject. */
export interface Found {
  readonly kind: DifferenceKind
  /** Tells several of one kind on one subject apart; empty when there can be one only. */
  readonly item: string
  readonly ours: string | null
  readonly theirs: string | null
  /** What is at stake. */
  readonly amountPaise: Paise
}

/** What comparing one subject came to; nothing found: both sides tell the same. */
export interface Outcome {
  readonly subject: Subject
  readonly found: readonly Found[]
}

/** A difference that stands until a comparison finds it gone. */
export interface OpenDifference extends Subject, Found {
  readonly id: Uuid
  readonly foundAt: Date
}

/** The gateway did not answer, so nobody knows. */
export function unchecked(ours: string | null, amountPaise: Paise): Found {
  return { kind: 'unchecked', item: '', ours, theirs: null, amountPaise }
}

export function isUnchecked({ found }: Pick<Outcome, 'found'>): boolean {
  return found.some(({ kind }) => kind === 'unchecked')
}
