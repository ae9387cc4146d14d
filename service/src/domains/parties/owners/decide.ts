import type { Tier } from '@batua/contract'
import type { BankCheckResult } from '../../../gateways/bank-verifier.ts'
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
  verdict: BankCheckResult,
  cooldown: Pick<Cooldown, 'now' | 'cooldownMs'>,
): KycState {
  // Payouts go to the verified account: only another verified one may replace it, after the cooldown.
  if (owner.kycStatus === 'verified') {
    const heard = { ...owner, kycReason: reasonOf(verdict) }
    if (verdict.kind !== 'verified') return heard
    return changeAccount(heard, { ...account, ...said(verdict) }, known, cooldown)
  }
  const submitted = {
    tier: owner.tier,
    bankAccount: account.encrypted,
    bankAccountLast4: account.last4,
    bankIfsc: account.ifsc,
    nameAtBank: null,
    nameMatchScore: null,
    kycReason: reasonOf(verdict),
    ...NO_PENDING_ACCOUNT,
  } as const
  switch (verdict.kind) {
    case 'verified':
      return { ...submitted, ...said(verdict), kycStatus: 'verified', tier: tierWhenVerified(owner) }
    case 'failed':
      return { ...submitted, ...said(verdict), kycStatus: 'failed' }
    case 'pending':
    case 'retryable':
    case 'unknown':
      return { ...submitted, kycStatus: 'pending' }
  }
}

/** Whether the bank's result is final. */
export function isFinal(verdict: BankCheckResult): boolean {
  return verdict.kind === 'verified' || verdict.kind === 'failed'
}

function reasonOf(verdict: BankCheckResult): string | null {
  switch (verdict.kind) {
    case 'verified':
    case 'failed':
      return verdict.reason
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

function said(verdict: Extract<BankCheckResult, { kind: 'verified' | 'failed' }>) {
  const score = verdict.nameMatchScore
  return { nameAtBank: verdict.nameAtBank, nameMatchScore: score === null ? null : Math.round(score) }
}

const FIRST_PAUSE_MS = 10_000
/** Most banks decide within a minute, so the first checks are at equal intervals. */
const EVEN_QUESTIONS = 6
const LONGEST_PAUSE_MS = 60 * 60_000

/** The pause before a bank that has not decided is asked again. */
export function pauseMs(attempts: number): number {
  const doublings = Math.min(Math.max(0, attempts - EVEN_QUESTIONS), 20)
  return Math.min(FIRST_PAUSE_MS * 2 ** doublings, LONGEST_PAUSE_MS)
}
