import type { Tier } from '@batua/contract'
import type { BankVerdict } from '../../gateways/bank-verifier.ts'
import { type Refusal, refuse } from '../../kernel/app-error.ts'
import type { KycState, Owner } from './store.ts'

export interface BankAccount {
  readonly sealed: Buffer
  readonly last4: string
  readonly ifsc: string
}

/** What a bank's verdict on an account makes of its owner. */
export function decideKyc(
  owner: Pick<Owner, 'kycStatus' | 'tier'>,
  account: BankAccount,
  verdict: BankVerdict,
): Refusal | (KycState & { readonly kind: 'kyc' }) {
  // A verified account is where the owner's money goes: only another verified one may take its place.
  if (owner.kycStatus === 'verified' && verdict.kind !== 'verified') return keepVerified(verdict)
  const submitted = {
    kind: 'kyc',
    tier: owner.tier,
    bankAccount: account.sealed,
    bankAccountLast4: account.last4,
    bankIfsc: account.ifsc,
    nameAtBank: null,
    nameMatchScore: null,
  } as const
  switch (verdict.kind) {
    case 'verified':
      return {
        ...submitted,
        ...said(verdict),
        kycStatus: 'verified',
        tier: tierWhenVerified(owner),
        kycReason: null,
      }
    case 'failed':
      return { ...submitted, ...said(verdict), kycStatus: 'failed', kycReason: verdict.reason }
    case 'pending':
      return { ...submitted, kycStatus: 'pending', kycReason: 'bank_pending' }
    case 'retryable':
    case 'unknown':
      return { ...submitted, kycStatus: 'pending', kycReason: 'bank_unavailable' }
  }
}

/** The first verification lifts an owner out of the sandbox; whom an administrator has put back there stays. */
function tierWhenVerified({ kycStatus, tier }: Pick<Owner, 'kycStatus' | 'tier'>): Tier {
  return tier === 'sandbox' && kycStatus !== 'verified' ? 'tier1' : tier
}

function said(verdict: Extract<BankVerdict, { kind: 'verified' | 'failed' }>) {
  const score = verdict.nameMatchScore
  return { nameAtBank: verdict.nameAtBank, nameMatchScore: score === null ? null : Math.round(score) }
}

function keepVerified(verdict: BankVerdict): Refusal {
  if (verdict.kind === 'failed') {
    return refuse('conflict', 'The bank did not confirm this account; the verified account stays', {
      details: { reason: verdict.reason },
    })
  }
  return refuse('gateway_error', 'The bank has no answer yet; the verified account stays. Submit again later')
}
