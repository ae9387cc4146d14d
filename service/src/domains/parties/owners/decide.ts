import type { Tier } from '@batua/contract'
import type { BankCheckResult } from '../../../gateways/bank-verifier.ts'
import { backoffMs } from '../../../kernel/clock.ts'
import type { Cooldown } from '../../limits/index.ts'
import { changeAccount, type KnownAccount, NO_PENDING_ACCOUNT } from './bank-account.ts'
import type { KycState } from './store.ts'

export interface BankAccount {
  readonly encrypted: Buffer
  readonly last4: string
  readonly ifsc: string
}

/** A submitted account, and whether it repeats an account of the owner. */
export interface Submission {
  readonly account: BankAccount
  readonly known: KnownAccount
}

/** The owner after the bank's result for a submitted account. */
export function decideKyc(
  owner: KycState,
  { account, known }: Submission,
  result: BankCheckResult,
  cooldown: Pick<Cooldown, 'now' | 'cooldownMs'>,
): KycState {
  // Payouts go to the verified account: only another verified one may replace it, after the cooldown.
  if (owner.kycStatus === 'verified') {
    const reported = { ...owner, kycReason: reasonOf(result) }
    if (result.kind !== 'verified') return reported
    return changeAccount(reported, { ...account, ...said(result) }, known, cooldown)
  }
  const submitted = {
    tier: owner.tier,
    bankAccount: account.encrypted,
    bankAccountLast4: account.last4,
    bankIfsc: account.ifsc,
    nameAtBank: null,
    nameMatchScore: null,
    kycReason: reasonOf(result),
    ...NO_PENDING_ACCOUNT,
  } as const
  switch (result.kind) {
    case 'verified':
      return { ...submitted, ...said(result), kycStatus: 'verified', tier: tierWhenVerified(owner) }
    case 'failed':
      return { ...submitted, ...said(result), kycStatus: 'failed' }
    case 'pending':
    case 'retryable':
    case 'unknown':
      return { ...submitted, kycStatus: 'pending' }
  }
}

/** Whether the bank's result is final. */
export function isFinal(result: BankCheckResult): boolean {
  return result.kind === 'verified' || result.kind === 'failed'
}

function reasonOf(result: BankCheckResult): string | null {
  switch (result.kind) {
    case 'verified':
    case 'failed':
      return result.reason
    case 'pending':
      return 'bank_pending'
    case 'retryable':
    case 'unknown':
      return 'bank_unavailable'
  }
}

/** The first verification moves an owner to tier1; an owner whom an administrator moved back to sandbox stays there. */
function tierWhenVerified({ kycStatus, tier }: Pick<KycState, 'kycStatus' | 'tier'>): Tier {
  return tier === 'sandbox' && kycStatus !== 'verified' ? 'tier1' : tier
}

function said(result: Extract<BankCheckResult, { kind: 'verified' | 'failed' }>) {
  const score = result.nameMatchScore
  return { nameAtBank: result.nameAtBank, nameMatchScore: score === null ? null : Math.round(score) }
}

const CHECK_PAUSE = { firstMs: 10_000, longestMs: 60 * 60_000 }
/** Most banks decide within a minute, so the first checks are at equal intervals. */
const EVEN_QUESTIONS = 6

/** The pause before a bank that has not decided is asked again. */
export function pauseMs(attempts: number): number {
  return backoffMs(attempts - EVEN_QUESTIONS, CHECK_PAUSE)
}
