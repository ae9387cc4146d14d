import type { AgentStatus } from '@batua/contract'
import type { ProviderPayout } from '../../../gateways/payout-provider.ts'
import { type Refusal, refuse } from '../../../kernel/app-error.ts'
import { backoffMs, DAY_MS, HOUR_MS } from '../../../kernel/clock.ts'
import { type Paise, paise, rupees, rupeesText } from '../../../kernel/money.ts'
import { decideBlocked } from '../../payments/index.ts'
import { type BankAccount, type Payout, type ProviderStatus, transferIdOf } from './payout.ts'

/** The facts that withdrawing depends on, read under the wallet's lock. */
export interface WithdrawalFacts {
  readonly status: AgentStatus
  /** For a deactivated agent: the state in which its money was blocked when it ended, because it stays blocked. */
  readonly blockedAs: 'frozen' | 'quarantined' | null
  /** null: the owner has no verified bank account. */
  readonly account: BankAccount | null
  readonly balancePaise: Paise
  /** null: the whole balance. */
  readonly wantedPaise: Paise | null
}

export interface WithdrawalPlan {
  readonly kind: 'withdraw'
  readonly account: BankAccount
  readonly amountPaise: Paise
}

/** Whether this amount may be paid out of the wallet to its owner's bank. */
export function decideWithdrawal(facts: WithdrawalFacts): Refusal | WithdrawalPlan {
  const { account, balancePaise } = facts
  const held = decideBlocked(facts)
  if (held !== null) return held
  if (account === null) {
    const message =
      'The owner has no verified bank account; submit one for verification (KYC), or wait until the bank has decided'
    return refuse('kyc_required', message)
  }
  const amountPaise = facts.wantedPaise ?? balancePaise
  if (amountPaise <= 0n) return nothingThere(balancePaise)
  if (amountPaise > balancePaise) return tooLittle(balancePaise, amountPaise)
  return { kind: 'withdraw', account, amountPaise }
}

/** The whole balance was requested, and it is zero. */
function nothingThere(balancePaise: Paise): Refusal {
  return short(balancePaise, LEAST_PAISE, ': there is nothing to withdraw')
}

const LEAST_PAISE = paise(1n)

function tooLittle(balancePaise: Paise, requiredPaise: Paise): Refusal {
  const wanted = `${rupeesText(requiredPaise)} INR`
  return short(
    balancePaise,
    requiredPaise,
    ` but ${wanted} is needed: ${wanted} plus a fee of 0.00 INR. Leave amount out to withdraw all there is`,
  )
}

function short(balancePaise: Paise, requiredPaise: Paise, why: string): Refusal {
  const required = rupees(requiredPaise)
  return refuse('insufficient_balance', `The balance is ${rupeesText(balancePaise)} INR${why}`, {
    details: { balance: rupees(balancePaise), required, amount: required, fee: 0 },
  })
}

/** What the status that the provider reports means for the payout. */
export interface Transition {
  readonly step:
    | { readonly kind: 'wait' }
    | { readonly kind: 'complete'; readonly utr: string }
    /** The money is credited back to the wallet. */
    | { readonly kind: 'fail' | 'reverse'; readonly reason: string }
  /** A status that contradicts the ledger: an operator has to check. */
  readonly contradiction: string | null
}

const WAIT: Transition = { step: { kind: 'wait' }, contradiction: null }

/**
 * Decides a payout's transition from the status that the provider reports. It runs under the wallet's lock, so
 * whatever is reported, from whichever source and in whichever order, the payout completes once, and its money is
 * credited back once.
 */
export function decideTransition(payout: Payout, reported: ProviderStatus): Transition {
  switch (reported.kind) {
    case 'no_response':
      return WAIT
    case 'none':
      return payout.status === 'completed'
        ? contradicts('the provider no longer knows a completed payout')
        : WAIT
    case 'refused':
      // Another worker may have claimed it later and sent it with success since.
      if (payout.status !== 'pending' || reported.attempt !== payout.attempts) return WAIT
      return { step: { kind: 'fail', reason: reported.code }, contradiction: null }
    case 'payout':
      return decideReported(payout, reported.payout)
  }
}

function decideReported(payout: Payout, seen: ProviderPayout): Transition {
  if (seen.transferId !== transferIdOf(payout) || seen.amountPaise !== payout.amountPaise) {
    return contradicts('the provider speaks of another payout or amount')
  }
  const reason = seen.reason ?? seen.status
  switch (payout.status) {
    case 'pending':
      if (seen.status === 'success' && seen.utr !== null) {
        return { step: { kind: 'complete', utr: seen.utr }, contradiction: null }
      }
      // Reversed before it was ever reported as paid: for the wallet the payout failed.
      if (seen.status === 'failed' || seen.status === 'reversed') {
        return { step: { kind: 'fail', reason }, contradiction: null }
      }
      return WAIT
    case 'completed':
      if (seen.status === 'reversed') return { step: { kind: 'reverse', reason }, contradiction: null }
      return seen.status === 'failed' ? contradicts('a completed payout is said to have failed') : WAIT
    case 'failed':
      return seen.status === 'success' ? contradicts('a failed payout is said to have arrived') : WAIT
    case 'reversed':
      return WAIT
  }
}

function contradicts(contradiction: string): Transition {
  return { step: { kind: 'wait' }, contradiction }
}

/** How long after the last send a response that the payout is unknown counts. */
export const UNKNOWN_COUNTS_AFTER_MS = 60_000

/**
 * Whether a payout that the provider does not know may be sent again. It is sent under the same id, which is paid once.
 */
export function maySendAgain({ lastSentAt }: Pick<Payout, 'lastSentAt'>, now: Date): boolean {
  return lastSentAt === null || now.getTime() - lastSentAt.getTime() >= UNKNOWN_COUNTS_AFTER_MS
}

const PENDING_PAUSE = { firstMs: 10_000, longestMs: 30 * 60_000 }
/** The checks after completion, for money that the bank reversed without a webhook. */
const RECHECK_DELAYS_MS = [HOUR_MS, DAY_MS, 3 * DAY_MS, 7 * DAY_MS]

/**
 * The last check does not count without a response: it is repeated when a quarter of the elapsed time has passed again.
 */
const NO_RESPONSE_DIVISOR = 4

/** When the provider is to be queried about this payout next. */
export function nextCheckAt(payout: Payout, reported: ProviderStatus, now: Date): Date | null {
  switch (payout.status) {
    case 'pending': {
      const soonMs = now.getTime() + backoffMs(payout.attempts, PENDING_PAUSE)
      if (reported.kind !== 'none' || payout.lastSentAt === null) return new Date(soonMs)
      return new Date(Math.max(soonMs, payout.lastSentAt.getTime() + UNKNOWN_COUNTS_AFTER_MS))
    }
    case 'completed': {
      const closedMs = (payout.closedAt ?? now).getTime()
      const nextMs = RECHECK_DELAYS_MS.map(delayMs => closedMs + delayMs).find(
        moment => moment > now.getTime(),
      )
      if (nextMs !== undefined) return new Date(nextMs)
      if (reported.kind !== 'no_response') return null
      return new Date(now.getTime() + (now.getTime() - closedMs) / NO_RESPONSE_DIVISOR)
    }
    case 'failed':
    case 'reversed':
      return null
  }
}
