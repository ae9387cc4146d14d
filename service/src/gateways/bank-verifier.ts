/** A bank account and its claimed holder. All of it is personal data and never logged. */
export interface BankAccountClaim {
  readonly bankAccount: string
  readonly ifsc: string
  readonly name: string
  readonly phone: string
}

/** The result of a bank account check. `retryable` and `unknown`: no result yet, try again later. */
export type BankCheckResult =
  | {
      readonly kind: 'verified'
      readonly nameAtBank: string
      /** 0 to 100: how similar the given name and the bank's are. */
      readonly nameMatchScore: number
      readonly reason: null
    }
  | {
      readonly kind: 'failed'
      readonly nameAtBank: string | null
      readonly nameMatchScore: number | null
      readonly reason: 'name_mismatch' | 'account_invalid' | 'account_blocked' | 'account_type'
    }
  /** The check is still in progress: call `checkAgain` with this reference. */
  | { readonly kind: 'pending'; readonly reference: string }
  | { readonly kind: 'retryable' | 'unknown'; readonly message: string }

/** Names with at least this score count as the same person's: Cashfree's good partial match. */
export const LEAST_NAME_MATCH = 85

/** Checks at a bank whether an account exists and who holds it. It moves none of our money, so it may be repeated. */
export interface BankVerifier {
  readonly name: string
  verifyAccount(claim: BankAccountClaim): Promise<BankCheckResult>
  /** The result of a check that was pending. */
  checkAgain(reference: string, claim: BankAccountClaim): Promise<BankCheckResult>
}
