import type { Refusal } from '../../kernel/app-error.ts'
import { assert } from '../../kernel/assert.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { Paise } from '../../kernel/money.ts'
import {
  type Account,
  type LedgerBatch,
  type Read,
  refreshRollingSum,
  rollingSumRead,
} from '../../ledger/index.ts'
import type { AppCap } from './app-cap.ts'
import { countCounterparty, counterpartyReads, counterpartyUse, countUncounted } from './counterparties.ts'
import { decideLimits } from './decide.ts'
import { fitsAgainAt, fitsAgainReads } from './fits-again.ts'
import { type Ceiling, type Layer, watchesCounterparties } from './layers.ts'
import type { LimitsChecked, PolicyFacts } from './limit-usage.ts'

/** A spending that the limits check. */
export interface Spend {
  readonly layers: readonly Layer[]
  readonly ceiling: Ceiling
  readonly payer: Account
  /** null: no payee, to show what is left of the limits; or none yet, for a hold without a payee. */
  readonly payeeId: Uuid | null
  readonly amountPaise: Paise
  /** True for a payment, which is refused above an escrow threshold; false for a hold. */
  readonly escrowApplies: boolean
  /** The app that spends; absent: none does. */
  readonly app?: AppCap | null
  /** Which limits are checked; absent: all. */
  readonly only?: LimitsChecked | undefined
}

/** The reads of a command before the limits can decide: none, unless a limit may refuse. */
export type Phase = (batch: LedgerBatch) => readonly Read[]

/**
 * The read phases of a command that spends. First all commands of a batch plan their amounts; a payer whose plans fit
 * under every bound needs no reads. For the others every window is made exact, so that a refusal is right about all
 * limits. The last phase reads when enough will have left a window.
 */
export function limitPhases(spendOf: (batch: LedgerBatch) => Spend | null): Phase[] {
  const phase = (reads: (batch: LedgerBatch, spend: Spend) => readonly Read[]) => (batch: LedgerBatch) => {
    const spend = spendOf(batch)
    return spend === null ? [] : reads(batch, spend)
  }
  return [phase(plan), phase(windowReads), phase(fallOutReads)]
}

/** Makes the payer's windows exact in this batch, even if no limit may refuse. */
export function planExactly(payer: Account): void {
  payer.needsExactWindows = true
}

function plan(_batch: LedgerBatch, spend: Spend): Read[] {
  const { payer, amountPaise } = spend
  payer.plannedPaise = (payer.plannedPaise + amountPaise) as Paise
  payer.plannedSpends += 1
  if (!fits(spend, payer.plannedPaise, payer.plannedSpends)) payer.needsExactWindows = true
  return []
}

function windowReads(batch: LedgerBatch, { payer, ceiling, payeeId }: Spend): Read[] {
  if (!payer.needsExactWindows) return []
  const reads: Read[] = []
  for (const window of ['hour', 'day'] as const) {
    const sumRead = rollingSumRead(batch, payer, window)
    if (sumRead !== null) reads.push(sumRead)
  }
  if (watchesCounterparties(ceiling)) reads.push(...counterpartyReads(batch, payer, payeeId))
  return reads
}

function fallOutReads(batch: LedgerBatch, spend: Spend): readonly Read[] {
  if (!spend.payer.needsExactWindows) return []
  makeExact(batch, spend)
  return fitsAgainReads(batch, spend.payer, spend.ceiling, spend.amountPaise)
}

/** Whether this amount, in this many payments, fits under every limit by the bounds known without reads. */
export function fits(spend: Spend, plannedPaise: bigint, plannedSpends: number): boolean {
  const { only } = spend
  if (only === 'payees') return fitsPayee(spend, plannedPaise, plannedSpends)
  return (
    fitsAmount(spend, plannedPaise) && (only === 'amounts' || fitsPayee(spend, plannedPaise, plannedSpends))
  )
}

function fitsAmount(
  { ceiling, amountPaise, escrowApplies, payer, app = null }: Spend,
  plannedPaise: bigint,
): boolean {
  const { spending } = payer
  return (
    (app === null || app.fits(amountPaise, plannedPaise)) &&
    under(ceiling.perTxPaise, amountPaise) &&
    (!escrowApplies || under(ceiling.escrowPaise, amountPaise)) &&
    under(ceiling.hourPaise, spending.hourSpentPaise + plannedPaise) &&
    under(ceiling.dayPaise, spending.daySpentPaise + plannedPaise) &&
    under(ceiling.istDayPaise, spending.istDaySpentPaise + plannedPaise) &&
    under(ceiling.istMonthPaise, spending.istMonthSpentPaise + plannedPaise)
  )
}

/** Releases of holds without a payee are added: their amounts are not in the sums spent, at least not in today's. */
function fitsPayee({ ceiling, payer }: Spend, plannedPaise: bigint, plannedSpends: number): boolean {
  const { perCounterpartyPaise, recipientsPerHour } = ceiling
  const { spending, releases } = payer
  return (
    under(perCounterpartyPaise, spending.istDaySpentPaise + (releases?.dayPaise ?? 0n) + plannedPaise) &&
    under(recipientsPerHour, spending.hourRecipientsBound + (releases?.hourCount ?? 0) + plannedSpends)
  )
}

function under(limit: bigint | number | null, amount: bigint | number): boolean {
  return limit === null || amount <= limit
}

/** Checks the limits of all layers and the escrow threshold, against the exact windows. */
export function checkLimits(batch: LedgerBatch, spend: Spend): Refusal | null {
  if (!spend.payer.needsExactWindows) {
    assert(fits(spend, spend.amountPaise, 1), 'a planned amount fits under the limits')
    return null
  }
  makeExact(batch, spend)
  return decideLimits(factsOf(batch, spend))
}

/** The facts for the pure rules, of a payer whose windows are exact. */
export function factsOf(batch: LedgerBatch, spend: Spend): PolicyFacts {
  const { layers, payer, payeeId, amountPaise, escrowApplies, only, app = null } = spend
  return {
    layers,
    app: app?.use() ?? null,
    amountPaise,
    escrowApplies,
    only,
    lastReleaseMs: payer.releases?.lastMs,
    spending: payer.spending,
    counterparty: watchesCounterparties(spend.ceiling) ? counterpartyUse(batch, payer, payeeId) : null,
    nowMs: batch.nowMs,
    fitsAgainMs: (window, amount) => fitsAgainAt(batch, payer, spend.ceiling, window, amount),
  }
}

/** Makes the payer's windows exact from what was read. A second call in the same batch changes nothing. */
export function makeExact(batch: LedgerBatch, { payer, ceiling }: Spend): void {
  for (const window of ['hour', 'day'] as const) refreshRollingSum(batch, payer, window)
  if (watchesCounterparties(ceiling)) countUncounted(batch, payer)
}

/** Counts a posted spending towards the limits on payees. */
export function countSpend(batch: LedgerBatch, { payer, payeeId, amountPaise, ceiling }: Spend): void {
  if (!payer.needsExactWindows || payeeId === null || !watchesCounterparties(ceiling)) return
  countCounterparty(batch, payer, payeeId, amountPaise)
}
