import type { RiskRuleName } from '@batua/contract'
import { firstUuidAt, type Uuid } from '../../kernel/ids.ts'

export const MINUTE_MS = 60_000

/** What one rule may look at of one agent: a span of its transfers, both ends included. */
export interface Scope {
  readonly agentId: Uuid
  readonly fromMs: number
  readonly toMs: number
  readonly fromId: Uuid
  readonly untilId: Uuid
}

/** How a subject stands with a rule: an open alert, or when it was last reviewed. */
export interface Standing {
  readonly subjectId: Uuid
  readonly rule: RiskRuleName
  readonly isOpen: boolean
  readonly reviewedAt: Date | null
}

/** The moment that a UUIDv7 was made at. */
export function momentOf(id: Uuid): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}

/**
 * The window that ends with an agent's newest transfer; what lies exactly a window's length before that is outside.
 * Nothing of it while an alert of the rule is open; after a review only what came later.
 */
export function scopeOf(
  agentId: Uuid,
  newestId: Uuid,
  windowMinutes: number,
  standing: Standing | undefined,
): Scope | null {
  if (standing?.isOpen) return null
  const toMs = momentOf(newestId)
  const reviewedMs = standing?.reviewedAt?.getTime() ?? Number.NEGATIVE_INFINITY
  const fromMs = Math.max(toMs - windowMinutes * MINUTE_MS, reviewedMs) + 1
  if (fromMs > toMs) return null
  return { agentId, fromMs, toMs, fromId: firstUuidAt(new Date(fromMs)), untilId: newestId }
}

export function standingKey(subjectId: Uuid, rule: RiskRuleName): string {
  return `${subjectId} ${rule}`
}
