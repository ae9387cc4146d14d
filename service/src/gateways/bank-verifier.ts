/** Who should hold which bank account. All of it is personal data: never logged. */
export interface BankAccountClaim {
  readonly bankAccount: string
  readonly ifsc: string
  readonly name: string
  readonly phone: string
}

/** What the bank said of an account. `retryable` and `unknown`: no verdict yet, ask again later. */
export type BankCheckResult =
  | {
      readonly kind: 'verified'
      readonly nameAtBank: string
      /** 0 to 100: how alike the given name and the bank's are. */
      readonly nameMatchScore: number
      readonly reason: null
    }
  | {
      readonly kind: 'failed'
      readonly nameAtBank: string | null
      readonly nameMatchScore: number | null
      readonly reason: 'name_mismatch' | 'account_invalid' | 'account_blocked' | 'account_type'
    }
  /** The bank is still looking: ask `checkAgain` with this reference. */
  | { readonly kind: 'pending'; readonly reference: string }
  | { readonly kind: 'retryable' | 'unknown'; readonly message: string }

/** From this score on two names are taken to be one person's: what Cashfree calls a good partial match. */
export const LEAST_NAME_MATCH = 85

/** Asks a bank whether an account exists and whose it is. Moves no money that is ours, so it may be asked again. */
export interface BankVerifier {
  readonly name: string
  verifyAccount(claim: BankAccountClaim): Promise<BankCheckResult>
  /** What became of a verification that was pending. */
  checkAgain(reference: string, claim: BankAccountClaim): Promise<BankCheckResult>
}
