import type { ProviderPayout } from '../../../gateways/payout-provider.ts'
import { formatId, parseId, type Uuid } from '../../../kernel/ids.ts'
import type { Paise } from '../../../kernel/money.ts'

export type PayoutKind = 'withdraw' | 'settlement'

/** `failed`: the money is back in the wallet. `reversed`: it was completed, and the bank sent it back. */
export type PayoutState = 'pending' | 'completed' | 'failed' | 'reversed'

/** Which payout: the agent's id leads, because it says where the row lives. */
export interface PayoutKey {
  readonly agentId: Uuid
  readonly id: Uuid
}

/** The bank account that money goes to: its owner's, as it was verified at that moment. The number is sealed. */
export interface BankAccount {
  readonly ownerId: Uuid
  readonly bankAccount: Buffer
  readonly bankAccountLast4: string
  readonly bankIfsc: string
}

/** Money on its way to an owner's bank. */
export interface Payout extends PayoutKey, BankAccount {
  readonly kind: PayoutKind
  readonly amountPaise: Paise
  readonly provider: string
  /** The IST day of the run that made it. */
  readonly settlementDay: number | null
  readonly requestKey: string | null
  readonly createdAt: Date
  /** The provider's id of the account; null until it was asked. */
  readonly beneficiaryId: string | null
  /** How often it was taken while pending, this time included. */
  readonly attempts: number
  /** Null: nothing was ever sent. */
  readonly lastSentAt: Date | null
  readonly status: PayoutState
  readonly providerPayoutId: string | null
  readonly utr: string | null
  /** The provider's word for why it failed or came back; never shown to callers. */
  readonly reason: string | null
  readonly closedAt: Date | null
  readonly reversedAt: Date | null
  /** When it is to be sent or asked about next; null when nothing more is expected. */
  readonly nextCheckAt: Date | null
}

/** What was seen of a payout at the provider. */
export type ProviderStatus =
  | { readonly kind: 'payout'; readonly payout: ProviderPayout }
  /** The provider knows none of this id. */
  | { readonly kind: 'none' }
  /** The provider will not take it; said to whoever took the payout for the `attempt`-th time. */
  | { readonly kind: 'refused'; readonly code: string; readonly attempt: number }
  /** It could not be asked, or does not know itself. */
  | { readonly kind: 'no_response' }

const TRANSFER_PREFIX = 'po'

/** Our name of a payout at the provider. */
export function transferIdOf({ id }: Pick<Payout, 'id'>): string {
  return formatId(TRANSFER_PREFIX, id)
}

/** The payout of a name at the provider, or null when it is not one of ours. */
export function payoutIdOf(transferId: string): Uuid | null {
  return parseId(TRANSFER_PREFIX, transferId)
}

/** The line of the statement that shows a payout. */
export function transactionIdOf({ id }: Pick<Payout, 'id'>): string {
  return formatId('txn', id)
}
