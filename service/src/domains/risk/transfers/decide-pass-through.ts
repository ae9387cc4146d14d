import type { Uuid } from '../../../kernel/ids.ts'
import { type Paise, rupees, rupeesText } from '../../../kernel/money.ts'
import { type Finding, spanText } from '../finding.ts'
import type { ThresholdsOf } from '../rules.ts'
import { MINUTE_MS, momentOf } from '../scope.ts'

/** One payment to or by the agent. */
export interface Flow {
  readonly id: Uuid
  readonly amountPaise: Paise
}

export interface PassThroughFacts {
  readonly fromMs: number
  readonly toMs: number
  /** Both oldest first. */
  readonly incoming: readonly Flow[]
  readonly outgoing: readonly Flow[]
}

/** An incoming payment, and how much still has to go out until it counts as passed through. */
interface Lot {
  readonly id: Uuid
  readonly amountPaise: bigint
  readonly untilMs: number
  missingPaise: bigint
}

/**
 * Outgoing payments are counted against the oldest money that came in shortly before, each paisa once: two incoming
 * payments and one outgoing payment count as one, not two.
 */
export function decidePassThrough(
  { fromMs, toMs, incoming, outgoing }: PassThroughFacts,
  thresholds: ThresholdsOf<'pass_through'>,
): Finding | null {
  const { minTimes, outMinutes, windowMinutes, outPercent } = thresholds
  const lots = incoming
    .filter(flow => Number(flow.amountPaise) >= thresholds.minAmountPaise)
    .map(flow => lotOf(flow, thresholds))
  for (const flow of outgoing) takeFrom(lots, flow)
  const passed = lots.filter(lot => lot.missingPaise <= 0n)
  if (passed.length < minTimes) return null
  const totalPaise = passed.reduce((total, lot) => total + lot.amountPaise, 0n)
  return {
    summary:
      `${passed.length} times within ${spanText(windowMinutes)} money came in and at least ${outPercent} % of it ` +
      `went out within ${spanText(outMinutes)}, ${rupeesText(totalPaise)} INR in all.`,
    fromMs,
    toMs,
    figures: { times: passed.length, total: rupees(totalPaise) },
    paymentIds: passed.map(lot => lot.id).toReversed(),
  }
}

function lotOf({ id, amountPaise }: Flow, { outPercent, outMinutes }: ThresholdsOf<'pass_through'>): Lot {
  const missingPaise = (amountPaise * BigInt(outPercent) + 99n) / 100n
  return { id, amountPaise, missingPaise, untilMs: momentOf(id) + outMinutes * MINUTE_MS }
}

function takeFrom(lots: readonly Lot[], { id, amountPaise }: Flow): void {
  const atMs = momentOf(id)
  let left: bigint = amountPaise
  for (const lot of lots) {
    if (left === 0n || lot.id > id) return
    if (lot.missingPaise <= 0n || atMs > lot.untilMs) continue
    const taken = left < lot.missingPaise ? left : lot.missingPaise
    lot.missingPaise -= taken
    left -= taken
  }
}
