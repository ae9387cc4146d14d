import type { AgentStatus } from '@batua/contract'
import type { ProviderPayout } from '../../../gateways/payout-provider.ts'
import { type Refusal, refuse } from '../../../kernel/app-error.ts'
import { DAY_MS, HOUR_MS } from '../../../kernel/clock.ts'
import { type Paise, paise, rupees, rupeesText } from '../../../kernel/money.ts'
import { decideBlocked } from '../../payments/index.ts'
import { type BankAccount, type Payout, type ProviderStatus, transferIdOf } from './payout.ts'

/** What the rules of withdrawing look at, true under the wallet's lock. */
export interface WithdrawalFacts {
  readonly status: AgentStatus
  /** Of an ended agent: how it was stopped when it ended, for its money stays stopped so. */
  readonly blockedAs: 'frozen' | 'quarantined' | null
  /** null: the owner has no verified bank account. */
  readonly account: BankAccount | null
  readonly balancePaise: Paise
  /** null: all of it. */
  readonly wantedPaise: Paise | null
}

export interface WithdrawalPlan {
  readonly kind: 'withdraw'
  readonly account: BankAccount
  readonly amountPaise: Paise
}

/** May this much leave the wallet for its owner's bank? */
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

/** Whether the money of an agent in this state stays where it is (contract section 3, Money of stopped agents). */
export function isBlocked(status: AgentStatus): boolean {
  return status === 'frozen' || status === 'quarantined'
}

/** The whole balance was asked for, and there is none. */
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

/** What the provider's word about a payout means for it. */
export interface Transition {
  readonly step:
    | { readonly kind: 'wait' }
    | { readonly kind: 'complete'; readonly utr: string }
    /** The money goes back into the wallet. */
    | { readonly kind: 'fail' | 'reverse'; readonly reason: string }
  /** What cannot be: a person has to look. */
  readonly contradiction: string | null
}

const WAIT: Transition = { step: { kind: 'wait' }, contradiction: null }

/**
 * Judges a payout by what was seen at the provider. It is asked under the wallet's lock, so whatever was seen, by
 * whomever and in whichever order, it is completed once, and its money comes back once.
 */
export function decideTransition(payout: Payout, reported: ProviderStatus): Transition {
  switch (reported.kind) {
    case 'no_response':
      return WAIT
    case 'none':
      return payout.status === 'completed' ? odd('the provider no longer knows a completed payout') : WAIT
    case 'refused':
      // Somebody who took it later may have sent it since, with more success.
      if (payout.status !== 'pending' || reported.attempt !== payout.attempts) return WAIT
      return { step: { kind: 'fail', reason: reported.code }, contradiction: null }
    case 'payout':
      return decideReported(payout, reported.payout)
  }
}

function decideReported(payout: Payout, seen: ProviderPayout): Transition {
  if (seen.transferId !== transferIdOf(payout) || seen.amountPaise !== payout.amountPaise) {
    return odd('the provider speaks of another payout or amount')
  }
  const reason = seen.reason ?? seen.status
  switch (payout.status) {
    case 'pending':
      if (seen.status === 'success' && seen.utr !== null) {
        return { step: { kind: 'complete', utr: seen.utr }, contradiction: null }
      }
      // Sent back before it was ever seen as arrived: for the wallet that is a payout that failed.
      if (seen.status === 'failed' || seen.status === 'reversed') {
        return { step: { kind: 'fail', reason }, contradiction: null }
      }
      return WAIT
    case 'completed':
      if (seen.status === 'reversed') return { step: { kind: 'reverse', reason }, contradiction: null }
      return seen.status === 'failed' ? odd('a completed payout is said to have failed') : WAIT
    case 'failed':
      return seen.status === 'success' ? odd('a failed payout is said to have arrived') : WAIT
    case 'reversed':
      return WAIT
  }
}

function odd(contradiction: string): Transition {
  return { step: { kind: 'wait' }, contradiction }
}

/** So long after it was last sent to, a provider that knows nothing of a payout is believed. */
export const UNKNOWN_BELIEVED_MS = 60_000

/** May it be sent again, the provider knowing nothing of it? Under the same id, which is paid once. */
export function maySendAgain({ lastSentAt }: Pick<Payout, 'lastSentAt'>, now: Date): boolean {
  return lastSentAt === null || now.getTime() - lastSentAt.getTime() >= UNKNOWN_BELIEVED_MS
}

const FIRST_PAUSE_MS = 10_000
const LONGEST_PAUSE_MS = 30 * 60_000
/** After it arrived it is looked at again, for money that the bank sent back without a notice. */
const AFTERWARDS_MS = [HOUR_MS, DAY_MS, 3 * DAY_MS, 7 * DAY_MS]

/** The last look does not count while nobody answers: it is made again, when a quarter as long again has passed. */
const UNANSWERED_PART = 4

/** When the provider is to be asked again about a payout as it stands now. */
export function nextCheckAt(payout: Payout, reported: ProviderStatus, now: Date): Date | null {
  switch (payout.status) {
    case 'pending': {
      const waitMs = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(payout.attempts, 20), LONGEST_PAUSE_MS)
      const soonMs = now.getTime() + waitMs
      if (reported.kind !== 'none' || payout.lastSentAt === null) return new Date(soonMs)
      return new Date(Math.max(soonMs, payout.lastSentAt.getTime() + UNKNOWN_BELIEVED_MS))
    }
    case 'completed': {
      const closedMs = (payout.closedAt ?? now).getTime()
      const nextMs = AFTERWARDS_MS.map(delayMs => closedMs + delayMs).find(moment => moment > now.getTime())
      if (nextMs !== undefined) return new Date(nextMs)
      if (reported.kind !== 'no_response') return null
      return new Date(now.getTime() + (now.getTime() - closedMs) / UNANSWERED_PART)
    }
    case 'failed':
    case 'reversed':
      return null
  }
}
