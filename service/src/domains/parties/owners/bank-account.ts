import type { Cooldown } from '../../limits/index.ts'
import type { BankAccount } from './decide.ts'
import type { KycState, Owner } from './store.ts'

/** The account to which an owner's money goes. */
export type PayoutAccount = Pick<KycState, 'bankAccount' | 'bankAccountLast4' | 'bankIfsc'>

type PendingAccount = Pick<
  KycState,
  'pendingBankAccount' | 'pendingBankAccountLast4' | 'pendingBankIfsc' | 'pendingBankEffectiveAt'
>

/** No change of the account waits. */
export const NO_PENDING_ACCOUNT = {
  pendingBankAccount: null,
  pendingBankAccountLast4: null,
  pendingBankIfsc: null,
  pendingNameAtBank: null,
  pendingNameMatchScore: null,
  pendingBankEffectiveAt: null,
} as const

/** Which of the owner's accounts a submission names again. */
export type KnownAccount = 'in force' | 'pending' | null

/** What the bank said of the holder. */
export type HolderName = Pick<KycState, 'nameAtBank' | 'nameMatchScore'>

/**
 * A verified owner after another account was verified: the one in force stays so until the cooldown has passed. The
 * account in force, named again, cancels the change that waits; the account that waits, named again, keeps its moment.
 */
export function changeAccount(
  owner: KycState,
  account: BankAccount & HolderName,
  known: KnownAccount,
  { now, cooldownMs }: Pick<Cooldown, 'now' | 'cooldownMs'>,
): KycState {
  const { nameAtBank, nameMatchScore } = account
  if (known === 'in force') return { ...owner, nameAtBank, nameMatchScore, ...NO_PENDING_ACCOUNT }
  if (known === 'pending') return owner
  const changed = {
    ...owner,
    pendingBankAccount: account.sealed,
    pendingBankAccountLast4: account.last4,
    pendingBankIfsc: account.ifsc,
    pendingNameAtBank: nameAtBank,
    pendingNameMatchScore: nameMatchScore,
    pendingBankEffectiveAt: new Date(now.getTime() + cooldownMs),
  }
  return cooldownMs === 0 ? withPendingInForce(changed) : changed
}

/** Whether the change that waits is due. Below a freeze nothing falls due. */
export function isAccountDue(
  { status, pendingBankEffectiveAt }: Pick<Owner, 'status' | 'pendingBankEffectiveAt'>,
  now: Date,
): boolean {
  return status === 'active' && pendingBankEffectiveAt !== null && pendingBankEffectiveAt <= now
}

/** The owner once the change that is due has taken effect; the same owner when none is. */
export function applyDueAccount(owner: Owner, now: Date): Owner {
  return isAccountDue(owner, now) ? { ...owner, ...withPendingInForce(owner) } : owner
}

function withPendingInForce(state: KycState): KycState {
  return {
    ...state,
    bankAccount: state.pendingBankAccount,
    bankAccountLast4: state.pendingBankAccountLast4,
    bankIfsc: state.pendingBankIfsc,
    nameAtBank: state.pendingNameAtBank,
    nameMatchScore: state.pendingNameMatchScore,
    ...NO_PENDING_ACCOUNT,
  }
}

/** Where a payout of this moment goes, whether or not the job has written down yet that a change fell due. */
export function accountInForce(
  owner: PayoutAccount & PendingAccount & Pick<Owner, 'status'>,
  now: Date,
): PayoutAccount {
  if (!isAccountDue(owner, now)) return owner
  return {
    bankAccount: owner.pendingBankAccount,
    bankAccountLast4: owner.pendingBankAccountLast4,
    bankIfsc: owner.pendingBankIfsc,
  }
}

/** The change of the account that a verdict made, and when it takes effect; null: none, or the first account of all. */
export function accountChange(
  before: Owner,
  after: Owner,
  now: Date,
): { readonly last4: string; readonly effectiveAt: Date } | null {
  const { pendingBankAccount, pendingBankAccountLast4: last4, pendingBankEffectiveAt: effectiveAt } = after
  if (pendingBankAccount !== before.pendingBankAccount && last4 !== null && effectiveAt !== null) {
    return { last4, effectiveAt }
  }
  const atOnce = before.kycStatus === 'verified' && after.bankAccount !== before.bankAccount
  return atOnce && after.bankAccountLast4 !== null
    ? { last4: after.bankAccountLast4, effectiveAt: now }
    : null
}
