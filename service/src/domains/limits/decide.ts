import { type Refusal, refuse } from '../../kernel/app-error.ts'
import { HOUR_MS } from '../../kernel/clock.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { type Paise, rupees, rupeesText, ZERO_PAISE } from '../../kernel/money.ts'
import { lower } from './controls.ts'
import type { Layer } from './layers.ts'
import {
  type LimitUsage,
  lastPaidMs,
  limitUsages,
  type PolicyFacts,
  remaining,
  shownIn,
} from './limit-usage.ts'
import { decideEscrow } from './thresholds.ts'

/** Refuses a payee that the lists of any layer do not allow. */
export function decidePayee(layers: readonly Layer[], payeeId: Uuid): Refusal | null {
  for (const { layer, allowedPayees, blockedPayees } of layers) {
    if (blockedPayees?.has(payeeId)) {
      return refuse(
        'authorization_error',
        `The ${layer} policy blocks payments to this agent: take it out of blocked_payee_agents, or name another`,
        { field: 'to', details: { rule: 'blocked_payee_agents', layer } },
      )
    }
    if (allowedPayees !== null && !allowedPayees.has(payeeId)) {
      return refuse(
        'authorization_error',
        `The ${layer} policy does not allow payments to this agent: add it to allowed_payees, or name another`,
        { field: 'to', details: { rule: 'allowed_payees', layer } },
      )
    }
  }
  return null
}

/**
 * Refuses an amount that exceeds any limit of any layer, or an escrow threshold. Of several limits the refusal names the
 * one with the least left; among equal ones the first, as general layers come before the agent's own.
 */
export function decideLimits(facts: PolicyFacts): Refusal | null {
  const usages = limitUsages(facts)
  const most = maxAmountNow(facts, usages)
  const escrow = facts.escrowApplies ? decideEscrow(facts.layers, facts.amountPaise, most) : null
  const [first, ...others] = exceededLimits(facts, usages)
  if (first === undefined) return escrow
  const tightest = others.reduce((least, each) => (each.remaining < least.remaining ? each : least), first)
  // A payment above the escrow threshold never passes, however long the caller waits.
  const retry = escrow === null ? retryAt([first, ...others]) : {}
  return limitRefusal(tightest, facts.amountPaise, most ?? ZERO_PAISE, retry)
}

/** The most that all limits and escrow thresholds allow now, whatever the balance; null: any amount. */
export function maxAmountNow(facts: PolicyFacts, usages: readonly LimitUsage[]): Paise | null {
  let most: Paise | null = null
  for (const usage of usages) {
    if (usage.measures !== 'payees') most = lower(most, remaining(usage))
    else if (!isRecipientAllowed(usage, facts)) most = ZERO_PAISE
  }
  if (!facts.escrowApplies) return most
  for (const { thresholds } of facts.layers) most = lower(most, thresholds.require_escrow_above)
  return most
}

/** A limit that refuses the payment. */
interface ExceededLimit {
  readonly usage: LimitUsage
  readonly remaining: Paise
  /** When enough has left the window; null if waiting does not help. */
  readonly retryAtMs: number | null
}

function exceededLimits(facts: PolicyFacts, usages: readonly LimitUsage[]): ExceededLimit[] {
  const exceeded: ExceededLimit[] = []
  for (const usage of usages) {
    const left = remaining(usage)
    if (usage.measures === 'payees') {
      if (isRecipientAllowed(usage, facts)) continue
      exceeded.push({ usage, remaining: ZERO_PAISE, retryAtMs: recipientAllowedAt(usage, facts) })
    } else if (left !== null && facts.amountPaise > left) {
      exceeded.push({ usage, remaining: left, retryAtMs: amountAllowedAt(usage, facts) })
    }
  }
  return exceeded
}

/** Whether the number of recipients, with this payee, stays within the limit. */
function isRecipientAllowed({ limit }: LimitUsage, { counterparty }: PolicyFacts): boolean {
  if (counterparty === null) return true
  const { recentPayees, paidRecently } = counterparty
  return BigInt(recentPayees + (paidRecently ? 0 : 1)) <= limit
}

/** When enough recipients have left the hour for this payee to be paid; at the latest when all have. */
function recipientAllowedAt({ limit }: LimitUsage, facts: PolicyFacts): number | null {
  const { counterparty } = facts
  if (limit === 0n || counterparty === null) return null
  let { recentPayees: left, paidRecently: isAmong } = counterparty
  for (const { lastPaidMs: paidMs, isPayee } of counterparty.leaving) {
    left -= 1
    if (isPayee) isAmong = false
    if (BigInt(left + (isAmong ? 0 : 1)) <= limit) return paidMs + HOUR_MS
  }
  return lastPaidMs(facts) + HOUR_MS
}

/** When the amount would fit under this limit; null (never) if it is above the limit itself. */
function amountAllowedAt(usage: LimitUsage, facts: PolicyFacts): number | null {
  const { window, limit, used, resetsAtMs } = usage
  if (facts.amountPaise > limit || used === null) return null
  const tooMuch = used + facts.amountPaise - limit
  if (window === 'last_hour') return facts.fitsAgainMs('hour', tooMuch)
  if (window === 'last_24_hours') return facts.fitsAgainMs('day', tooMuch)
  return resetsAtMs
}

/** The payment passes once every exceeded limit allows it; never, if one of them never does. */
function retryAt(exceeded: readonly ExceededLimit[]): { retry_at?: string } {
  let latestMs = 0
  for (const { retryAtMs } of exceeded) {
    if (retryAtMs === null) return {}
    latestMs = Math.max(latestMs, retryAtMs)
  }
  return { retry_at: new Date(latestMs).toISOString() }
}

function limitRefusal(
  { usage, remaining: left }: ExceededLimit,
  amountPaise: Paise,
  most: Paise,
  retry: { readonly retry_at?: string },
): Refusal {
  const { rule, layer, limit, used, measures } = usage
  const message =
    measures === 'payees'
      ? `${used} different agents were paid within the last hour; ${rule} of the ${layer} policy allows ${limit}. Name one of them, or wait until one of them was paid an hour ago`
      : `${rupeesText(amountPaise)} INR is above ${whatIsLeft(usage, left)}. At most ${rupeesText(most)} INR can be paid now`
  return refuse('spend_limit_exceeded', message, {
    field: measures === 'payees' ? 'to' : 'amount',
    details: {
      ...{ rule, layer, limit: shownIn(usage, limit), used: shownIn(usage, used ?? 0n) },
      ...{ remaining: shownIn(usage, left), max_amount_now: rupees(most), ...retry },
    },
  })
}

function whatIsLeft({ rule, layer, limit, used }: LimitUsage, left: Paise): string {
  const name = `${rule} of the ${layer} policy`
  if (used === 0n) return `${name}, ${rupeesText(limit)} INR`
  return `what ${name} leaves, ${rupeesText(left)} of ${rupeesText(limit)} INR`
}
