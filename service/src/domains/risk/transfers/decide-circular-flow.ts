import type { Uuid } from '../../../kernel/ids.ts'
import { type Paise, rupees, rupeesText } from '../../../kernel/money.ts'
import { type Finding, plural, spanText } from '../finding.ts'
import type { ThresholdsOf } from '../rules.ts'
import { momentOf } from '../scope.ts'

/** One payment as a leg of a possible ring. */
export interface Leg {
  readonly id: Uuid
  readonly payer: Uuid
  readonly payee: Uuid
  readonly amountPaise: Paise
}

/** The payments around an agent to which money may have returned. */
export interface CircularFacts {
  readonly agentId: Uuid
  readonly fromMs: number
  readonly toMs: number
  /** New payments to the agent: only these can close a new ring. */
  readonly closing: readonly Leg[]
  /** Payments within the window, by payer. */
  readonly from: ReadonlyMap<Uuid, readonly Leg[]>
  /** Payments within the window, by payee. */
  readonly to: ReadonlyMap<Uuid, readonly Leg[]>
}

const NONE: readonly Leg[] = []

/**
 * Looks for a ring: A pays B, and over further legs the money returns to A. Each leg is later than the one before and
 * none is much smaller than the first. For each first leg only the earliest leg to each agent matters, so the work
 * grows with the number of legs and not with the number of paths.
 */
export function decideCircularFlow(
  facts: CircularFacts,
  thresholds: ThresholdsOf<'circular_flow'>,
): Finding | null {
  const closing = facts.closing.filter(leg => Number(leg.amountPaise) >= thresholds.minAmountPaise)
  for (const first of facts.from.get(facts.agentId) ?? NONE) {
    if (Number(first.amountPaise) < thresholds.minAmountPaise || momentOf(first.id) < facts.fromMs) continue
    const ring = ringFrom(first, closing, facts, thresholds)
    if (ring !== null) return findingOf(ring, facts, thresholds)
  }
  return null
}

function ringFrom(
  first: Leg,
  closing: readonly Leg[],
  facts: CircularFacts,
  { legPercent, minAmountPaise, maxAgents }: ThresholdsOf<'circular_flow'>,
): Leg[] | null {
  const follows = (leg: Leg, before: Leg) =>
    leg.id > before.id &&
    Number(leg.amountPaise) >= minAmountPaise &&
    leg.amountPaise * 100n >= first.amountPaise * BigInt(legPercent)

  for (const last of closing) if (last.payer === first.payee && follows(last, first)) return [first, last]
  if (maxAgents < 3) return null

  const second = earliestByPayee(facts.from.get(first.payee) ?? NONE, first, facts.agentId, follows)
  for (const last of closing) {
    const before = second.get(last.payer)
    if (before !== undefined && follows(last, before)) return [first, before, last]
  }
  if (maxAgents < 4) return null

  for (const last of closing) {
    if (last.payer === first.payee) continue
    for (const third of facts.to.get(last.payer) ?? NONE) {
      const before = second.get(third.payer)
      if (before !== undefined && follows(third, before) && follows(last, third))
        return [first, before, third, last]
    }
  }
  return null
}

/** The earliest leg to each agent that follows the first one and does not return to its payer. */
function earliestByPayee(
  legs: readonly Leg[],
  first: Leg,
  agentId: Uuid,
  follows: (leg: Leg, before: Leg) => boolean,
): Map<Uuid, Leg> {
  const earliest = new Map<Uuid, Leg>()
  for (const leg of legs) {
    if (leg.payee === agentId || !follows(leg, first)) continue
    const known = earliest.get(leg.payee)
    if (known === undefined || leg.id < known.id) earliest.set(leg.payee, leg)
  }
  return earliest
}

function findingOf(
  ring: readonly Leg[],
  { fromMs, toMs }: CircularFacts,
  { windowMinutes }: ThresholdsOf<'circular_flow'>,
): Finding {
  const amounts = ring.map(leg => leg.amountPaise)
  const [first] = amounts
  const least = amounts.reduce((low, amount) => (amount < low ? amount : low))
  const back = amounts.at(-1)
  return {
    summary:
      `${rupeesText(first ?? 0n)} INR went out and ${rupeesText(back ?? 0n)} INR came back within ` +
      `${spanText(windowMinutes)}, round through ${plural(ring.length, 'agent')}.`,
    fromMs,
    toMs,
    figures: {
      agents: ring.length,
      first_amount: rupees(first ?? 0n),
      least_amount: rupees(least),
      last_amount: rupees(back ?? 0n),
    },
    paymentIds: ring.map(leg => leg.id),
    agentIds: ring.slice(1).map(leg => leg.payer),
  }
}
