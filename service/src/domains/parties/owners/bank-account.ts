import type { Cooldown } from '../../limits/index.ts'
import type { BankAccount } from './decide.ts'
import type { KycState, Owner } from './store.ts'

/** The bank account to which an owner's money is paid out. */
export type PayoutAccount = Pick<KycState, 'bankAccount' | 'bankAccountLast4' | 'bankIfsc'>

type PendingAccount = Pick<
  KycState,
  'pendingBankAccount' | 'pendingBankAccountLast4' | 'pendingBankIfsc' | 'pendingBankEffectiveAt'
>

/** No account is pending. */
export const NO_PENDING_ACCOUNT = {
  pendingBankAccount: null,
  pendingBankAccountLast4: null,
  pendingBankIfsc: null,
  pendingNameAtBank: null,
  pendingNameMatchScore: null,
  pendingBankEffectiveAt: null,
} as const

/** The owner's account that a submission repeats; null: it is a new one. */
export type KnownAccount = 'in force' | 'pending' | null

/** The bank's result for the holder's name. */
export type HolderName = Pick<KycState, 'nameAtBank' | 'nameMatchScore'>

/**
 * A verified owner after another account was verified: the account in force stays until the cooldown has passed. The
 * account in force, submitted again, cancels a pending one; a pending account, submitted again, keeps its moment.
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
    pendingBankAccount: account.encrypted,
    pendingBankAccountLast4: account.last4,
    pendingBankIfsc: account.ifsc,
    pendingNameAtBank: nameAtBank,
    pendingNameMatchScore: nameMatchScore,
    pendingBankEffectiveAt: new Date(now.getTime() + cooldownMs),
  }
  return cooldownMs === 0 ? withPendingInForce(changed) : changed
}

/** Whether the pending account is due. While the owner is frozen, it is not. */
export function isAccountDue(
  { status, pendingBankEffectiveAt }: Pick<Owner, 'status' | 'pendingBankEffectiveAt'>,
  now: Date,
): boolean {
  return status === 'active' && pendingBankEffectiveAt !== null && pendingBankEffectiveAt <= now
}

/** The owner once a due account has taken effect; the same owner if none is due. */
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

/** The account for a payout at this moment, even if the job has not yet applied a due one. */
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

/** The pending account that a result created, and when it takes effect; null: none, or the owner's first account. */
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
