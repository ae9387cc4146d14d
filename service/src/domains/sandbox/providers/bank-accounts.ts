/** The result of the sandbox bank's account verification. */
export type VerificationBehaviour =
  | { readonly kind: 'match'; readonly score: number }
  | {
      readonly kind: 'failed'
      readonly reason: 'account_invalid' | 'account_blocked' | 'account_type'
    }
  /** Pending for a minute, then decided by the score. */
  | { readonly kind: 'pending'; readonly score: number }
  /** No response for two minutes. */
  | { readonly kind: 'down' }

/** The outcome of payouts to an account. */
export type PayoutBehaviour =
  | 'paid'
  | 'failed'
  /** Pending for a minute, then failed. */
  | 'failed_later'
  /** The request itself is refused. */
  | 'refused'
  /** Pending until it is queried for the second time. */
  | 'paid_when_asked_twice'
  /** Paid at once, but the bank's reference comes a minute later. */
  | 'utr_later'
  /** Sent back by the bank five minutes after it was paid. */
  | 'reversed'
  /** The provider approves it a minute later. */
  | 'approved_later'
  /** Paid, but the response says that a payout of this id exists already. */
  | 'duplicate_id'
  /** Paid, but the response is lost. */
  | 'response_lost'
  /** The first request never arrives. */
  | 'request_lost'

export interface BankAccountBehaviour {
  readonly verification: VerificationBehaviour
  readonly payout: PayoutBehaviour
}

const DIRECT_MATCH = { kind: 'match', score: 100 } as const

const match = (score: number): BankAccountBehaviour => ({
  verification: { kind: 'match', score },
  payout: 'paid',
})
const refused = (reason: 'account_invalid' | 'account_blocked' | 'account_type'): BankAccountBehaviour => ({
  verification: { kind: 'failed', reason },
  payout: 'failed',
})
const pays = (payout: PayoutBehaviour): BankAccountBehaviour => ({ verification: DIRECT_MATCH, payout })

/** Accounts with a behaviour of their own (contract section 9, docs/sandbox.md). */
const MAGIC_ACCOUNTS: ReadonlyMap<string, BankAccountBehaviour> = new Map([
  ['900000000001', match(0)],
  ['900000000002', refused('account_invalid')],
  ['900000000003', refused('account_blocked')],
  ['900000000004', { verification: { kind: 'pending', score: 100 }, payout: 'paid' }],
  ['900000000005', { verification: { kind: 'down' }, payout: 'paid' }],
  ['900000000006', pays('failed')],
  ['900000000007', pays('paid_when_asked_twice')],
  ['900000000008', pays('utr_later')],
  ['7766671735000', pays('reversed')],
  ['900000000011', match(100)],
  ['900000000012', match(85)],
  ['900000000013', match(70)],
  ['900000000014', match(38)],
  ['900000000015', match(0)],
  ['900000000016', refused('account_type')],
  ['900000000017', { verification: { kind: 'pending', score: 0 }, payout: 'paid' }],
  ['900000000021', pays('approved_later')],
  ['900000000022', pays('failed_later')],
  ['900000000023', pays('refused')],
  ['900000000024', pays('duplicate_id')],
  ['900000000025', pays('response_lost')],
  ['900000000026', pays('request_lost')],
])

export function behaviourOf(bankAccount: string): BankAccountBehaviour {
  return MAGIC_ACCOUNTS.get(bankAccount) ?? pays('paid')
}
