import type { ProviderPayout } from '../../../gateways/payout-provider.ts'
import { formatId, parseId, type Uuid } from '../../../kernel/ids.ts'
import type { Paise } from '../../../kernel/money.ts'

export type PayoutKind = 'withdraw' | 'settlement'

/** `failed`: the money was credited back to the wallet. `reversed`: it was completed, and the bank sent it back. */
export type PayoutState = 'pending' | 'completed' | 'failed' | 'reversed'

/** The key of a payout. The agent's id comes first, because the row is stored by it. */
export interface PayoutKey {
  readonly agentId: Uuid
  readonly id: Uuid
}

/** The bank account that receives the money: its owner's, as it was verified then. The number is encrypted. */
export interface BankAccount {
  readonly ownerId: Uuid
  readonly bankAccount: Buffer
  readonly bankAccountLast4: string
  readonly bankIfsc: string
}

/** A payment to an owner's bank. */
export interface Payout extends PayoutKey, BankAccount {
  readonly kind: PayoutKind
  readonly amountPaise: Paise
  readonly provider: string
  /** The IST day of the settlement run that created it. */
  readonly settlementDay: number | null
  readonly requestKey: string | null
  readonly createdAt: Date
  /** The provider's id of the payout; null until the provider has reported it. */
  readonly beneficiaryId: string | null
  /** How often it was claimed while pending, this time included. */
  readonly attempts: number
  /** Null: it was never sent. */
  readonly lastSentAt: Date | null
  readonly status: PayoutState
  readonly providerPayoutId: string | null
  readonly utr: string | null
  /** The provider's reason why it failed or was reversed; never shown to callers. */
  readonly reason: string | null
  readonly closedAt: Date | null
  readonly reversedAt: Date | null
  /** When it is to be sent or queried next; null when nothing more is expected. */
  readonly nextCheckAt: Date | null
}

/** The status of a payout that the provider reports. */
export type ProviderStatus =
  | { readonly kind: 'payout'; readonly payout: ProviderPayout }
  /** The provider knows no payout of this id. */
  | { readonly kind: 'none' }
  /** The provider refuses it; the response to the worker that claimed the payout for the `attempt`-th time. */
  | { readonly kind: 'refused'; readonly code: string; readonly attempt: number }
  /** There was no response, or the provider does not know the outcome. */
  | { readonly kind: 'no_response' }

const TRANSFER_PREFIX = 'po'

/** Our id of a payout at the provider. */
export function transferIdOf({ id }: Pick<Payout, 'id'>): string {
  return formatId(TRANSFER_PREFIX, id)
}

/** The payout with an id at the provider, or null when the id is not one of ours. */
export function payoutIdOf(transferId: string): Uuid | null {
  return parseId(TRANSFER_PREFIX, transferId)
}
