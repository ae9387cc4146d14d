import type { IncomingHttpHeaders } from 'node:http'
import type { Paise } from '../kernel/money.ts'
import type { GatewayResult } from './gateway-result.ts'

/** A bank account that money is sent to. All of it is personal data: never logged. */
export interface Beneficiary {
  /** Ours, one for each bank account of an owner: letters, digits and `_`, at most 50. The same id names the same account for ever. */
  readonly beneficiaryId: string
  readonly name: string
  readonly bankAccount: string
  readonly ifsc: string
  readonly phone: string
}

export interface PayoutRequest {
  /** Ours: letters, digits and `_`, at most 40. The provider pays one id once, however often it is sent. */
  readonly transferId: string
  readonly beneficiaryId: string
  readonly amountPaise: Paise
  /** What the bank statement says: letters, digits and spaces, at most 70. */
  readonly remarks: string
}

/** How a payout stands at the provider. Success is not the end: a bank may send the money back later. */
export interface ProviderPayout {
  readonly transferId: string
  /** The provider's own id of it; null until it names one. */
  readonly providerPayoutId: string | null
  readonly status: 'pending' | 'success' | 'failed' | 'reversed'
  readonly amountPaise: Paise
  /** The bank's reference. It may come some time after the success. */
  readonly utr: string | null
  /** The provider's own word for the status; for logs and decisions, never shown to callers. */
  readonly reason: string | null
}

/** What a notice is about. It says where to look, never what is true. */
export interface PayoutWebhook {
  readonly valid: boolean
  /** Empty for notices that do not concern us. */
  readonly transferIds: readonly string[]
  readonly dedupeKey: string
}

/** Who pays money out to bank accounts. */
export interface PayoutProvider {
  /** Stands in our webhook address: `/v1/gateway/{name}/webhooks`. */
  readonly name: string
  /**
   * Makes the account known and answers the id to send by: ours, or that under which the provider knew the account
   * before. Asked again with the same id and account it answers the same.
   */
  ensureBeneficiary(beneficiary: Beneficiary): Promise<GatewayResult<{ readonly beneficiaryId: string }>>
  /** Sends money. `unknown`: it may have been sent, so `get` is asked before anything else. */
  send(payout: PayoutRequest): Promise<GatewayResult<ProviderPayout>>
  /** The payout of that id; null when the provider never got it. */
  get(transferId: string): Promise<GatewayResult<ProviderPayout | null>>
  parseWebhook(rawBody: Buffer, headers: IncomingHttpHeaders): PayoutWebhook
}
