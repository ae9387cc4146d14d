import type { BudgetLimit, Purchase } from './journal.ts'
import { isOfHost } from './terms.ts'

const DAY_MS = 24 * 60 * 60 * 1_000

/** Finished purchases are kept for the longest budget. */
const FINISHED_KEPT_MS = DAY_MS
const UNFINISHED_KEPT_MS = 7 * DAY_MS

/** Whether its resource can still be obtained with the payment that was, or may have been, made. */
export function isUnfinished({ state }: Purchase): boolean {
  return state === 'paying' || state === 'paid'
}

/** Whether a purchase still matters for a purchase that starts now. */
export function isKept(purchase: Purchase, now: number): boolean {
  return lastSpentAt(purchase) > now - (isUnfinished(purchase) ? UNFINISHED_KEPT_MS : FINISHED_KEPT_MS)
}

/** When money of it was spent last, or may be at the latest; Unix milliseconds. */
function lastSpentAt({ startedAt, spentUntil }: Purchase): number {
  return Math.max(startedAt, spentUntil ?? startedAt)
}

/** Whether its money is spent, or may be. */
function isSpent({ state }: Purchase): boolean {
  return state !== 'unpaid' && state !== 'refunded'
}

/** The first budget that a new purchase exceeds; null if it fits into all. */
export function exceededBudget(
  purchases: ReadonlyMap<string, Purchase>,
  wanted: Purchase,
  limits: readonly BudgetLimit[],
): BudgetLimit | null {
  return (
    limits.find(limit => spentPaise(purchases, wanted, limit) + wanted.amountPaise > limit.limitPaise) ?? null
  )
}

/** The amount that counts against a budget when a purchase starts. */
function spentPaise(
  purchases: ReadonlyMap<string, Purchase>,
  { startedAt: now }: Purchase,
  { host, windowMs }: BudgetLimit,
): bigint {
  let spent = 0n
  for (const purchase of purchases.values()) {
    const counts = isSpent(purchase) && lastSpentAt(purchase) > now - windowMs
    if (counts && (host === null || isOfHost(purchase.host, host))) spent += purchase.amountPaise
  }
  return spent
}
