/** A check that is overdue by this much is one that nobody makes. */
export const OVERDUE_MS = 60 * 60_000
/** The gateway's notice of what has just moved may still be on its way. */
export const NOTICE_MS = 10 * 60_000
/** A refund is sent at once and again for hours; a bank may take days over it. */
export const REFUND_SENT_WITHIN_MS = 24 * 60 * 60_000
export const REFUND_DONE_WITHIN_MS = 10 * 24 * 60 * 60_000

/** Whether what was seen at the gateway will still be seen here: by a check that is due, or by a notice. */
export function isAwaited(nextCheckAt: Date | null, movedAt: Date | null, now: Date): boolean {
  return isWithin(nextCheckAt, OVERDUE_MS, now) || isWithin(movedAt, NOTICE_MS, now)
}

export function isWithin(since: Date | null, graceMs: number, now: Date): boolean {
  return since !== null && now.getTime() < since.getTime() + graceMs
}
