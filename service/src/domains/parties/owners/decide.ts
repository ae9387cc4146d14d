import type { Tier } from '@batua/contract'
import type { BankCheckResult } from '../../../gateways/bank-verifier.ts'
import type { Cooldown } from '../../limits/index.ts'
import { changeAccount, type KnownAccount, NO_PENDING_ACCOUNT } from './bank-account.ts'
import type { KycState } from './store.ts'

export interface BankAccount {
  readonly sealed: Buffer
  readonly last4: string
  readonly ifsc: string
}

/** An account that was submitted, and whether the owner has it already. */
export interface Submission {
  readonly account: BankAccount
  readonly known: KnownAccount
}

/** What a bank's verdict on an account that was submitted makes of its owner. */
export function decideKyc(
  owner: KycState,
  { account, known }: Submission,
  verdict: BankCheckResult,
  cooldown: Pick<Cooldown, 'now' | 'cooldownMs'>,
): KycState {
  // A verified account is where the owner's money goes: only another verified one may take its place, and later.
  if (owner.kycStatus === 'verified') {
    const heard = { ...owner, kycReason: reasonOf(verdict) }
    if (verdict.kind !== 'verified') return heard
    return changeAccount(heard, { ...account, ...said(verdict) }, known, cooldown)
  }
  const submitted = {
    tier: owner.tier,
    bankAccount: account.sealed,
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

/** Whether the bank has said its last word. */
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

/** The first verification lifts an owner out of the sandbox; whom an administrator has put back there stays. */
function tierWhenVerified({ kycStatus, tier }: Pick<KycState, 'kycStatus' | 'tier'>): Tier {
  return tier === 'sandbox' && kycStatus !== 'verified' ? 'tier1' : tier
}

function said(verdict: Extract<BankCheckResult, { kind: 'verified' | 'failed' }>) {
  const score = verdict.nameMatchScore
  return { nameAtBank: verdict.nameAtBank, nameMatchScore: score === null ? null : Math.round(score) }
}

const FIRST_PAUSE_MS = 10_000
/** Most banks decide within a minute, so the first questions come at an even pace. */
const EVEN_QUESTIONS = 6
const LONGEST_PAUSE_MS = 60 * 60_000

/** How long to wait before a bank that has not decided is asked again. */
export function pauseMs(attempts: number): number {
  const doublings = Math.min(Math.max(0, attempts - EVEN_QUESTIONS), 20)
  return Math.min(FIRST_PAUSE_MS * 2 ** doublings, LONGEST_PAUSE_MS)
}
