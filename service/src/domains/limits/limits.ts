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
import { type Ceiling, type Layer, watchesCounterparties } from './controls.ts'
import { countCounterparty, counterpartyReads, counterpartyUse, countUncounted } from './counterparties.ts'
import { decideLimits, type LimitsAsked, type PolicyFacts } from './decide.ts'
import { fitsAgainAt, fitsAgainReads } from './fits-again.ts'

/** A spending that the limits are asked about. */
export interface Spend {
  readonly layers: readonly Layer[]
  readonly ceiling: Ceiling
  readonly payer: Account
  /** null: nobody in particular, for showing what is left; or nobody yet, for a hold that names nobody. */
  readonly payeeId: Uuid | null
  readonly amountPaise: Paise
  /** A payment above an escrow threshold is refused; an escrow hold is what it asks for. */
  readonly escrowApplies: boolean
  /** Which limits are asked; absent: all. */
  readonly only?: LimitsAsked
}

/** What a command reads before the limits can decide: nothing, unless a limit may refuse. */
type Step = (batch: LedgerBatch) => readonly Read[]

/**
 * The steps of a command that spends. First all commands of a batch say what they plan; whose plans fit under
 * every bound needs no reading. For the others every window is made exact, so that a refusal tells the truth
 * about all limits, and then it is looked up when enough falls out of a window.
 */
export function limitPhases(spendOf: (batch: LedgerBatch) => Spend | null): Step[] {
  const step = (reads: (batch: LedgerBatch, spend: Spend) => readonly Read[]) => (batch: LedgerBatch) => {
    const spend = spendOf(batch)
    return spend === null ? [] : reads(batch, spend)
  }
  return [step(plan), step(windowReads), step(fallOutReads)]
}

/** The limits of the present moment are wanted exactly, whether or not they may refuse. */
export function planExactly(payer: Account): void {
  payer.needsExactWindows = true
}

function plan(_book: LedgerBatch, spend: Spend): Read[] {
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
    const wanted = rollingSumRead(batch, payer, window)
    if (wanted !== null) reads.push(wanted)
  }
  if (watchesCounterparties(ceiling)) reads.push(...counterpartyReads(batch, payer, payeeId))
  return reads
}

function fallOutReads(batch: LedgerBatch, spend: Spend): readonly Read[] {
  if (!spend.payer.needsExactWindows) return []
  makeExact(batch, spend)
  return fitsAgainReads(batch, spend.payer, spend.ceiling, spend.amountPaise)
}

/** Whether this much, in this many payments, fits under every limit by what is known without reading. */
export function fits(spend: Spend, plannedPaise: bigint, plannedSpends: number): boolean {
  const { only } = spend
  if (only === 'payees') return fitsPayee(spend, plannedPaise, plannedSpends)
  return (
    fitsAmount(spend, plannedPaise) && (only === 'amounts' || fitsPayee(spend, plannedPaise, plannedSpends))
  )
}

function fitsAmount({ ceiling, amountPaise, escrowApplies, payer }: Spend, plannedPaise: bigint): boolean {
  const { spending } = payer
  return (
    under(ceiling.perTxPaise, amountPaise) &&
    (!escrowApplies || under(ceiling.escrowPaise, amountPaise)) &&
    under(ceiling.hourPaise, spending.hourSpentPaise + plannedPaise) &&
    under(ceiling.dayPaise, spending.daySpentPaise + plannedPaise) &&
    under(ceiling.istDayPaise, spending.istDaySpentPaise + plannedPaise) &&
    under(ceiling.istMonthPaise, spending.istMonthSpentPaise + plannedPaise)
  )
}

/** What was released to payees that no hold had named is not among what was spent, at least not today. */
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

/** The limits of all layers, and the escrow threshold, against the exact windows. */
export function checkLimits(batch: LedgerBatch, spend: Spend): Refusal | null {
  if (!spend.payer.needsExactWindows) {
    assert(fits(spend, spend.amountPaise, 1), 'what was planned fits')
    return null
  }
  makeExact(batch, spend)
  return decideLimits(factsOf(batch, spend))
}

/** What the pure rules look at, for a payer whose windows are exact. */
export function factsOf(batch: LedgerBatch, spend: Spend): PolicyFacts {
  const { layers, payer, payeeId, amountPaise, escrowApplies, only } = spend
  return {
    layers,
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

/** Applies what was read; once done it stays done for the batch. */
export function makeExact(batch: LedgerBatch, { payer, ceiling }: Spend): void {
  for (const window of ['hour', 'day'] as const) refreshRollingSum(batch, payer, window)
  if (watchesCounterparties(ceiling)) countUncounted(batch, payer)
}

/** Tells the limits of a spending that was posted. */
export function countSpend(batch: LedgerBatch, { payer, payeeId, amountPaise, ceiling }: Spend): void {
  if (!payer.needsExactWindows || payeeId === null || !watchesCounterparties(ceiling)) return
  countCounterparty(batch, payer, payeeId, amountPaise)
}
