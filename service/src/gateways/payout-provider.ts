import type { IncomingHttpHeaders } from 'node:http'
import type { Paise } from '../kernel/money.ts'
import type { GatewayResult } from './gateway-result.ts'

/** A bank account to which money is sent. All of it is personal data and never logged. */
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
  /** The text on the bank statement: letters, digits and spaces, at most 70. */
  readonly remarks: string
}

/** The state of a payout at the provider. Success is not final: a bank may return the money later. */
export interface ProviderPayout {
  readonly transferId: string
  /** The provider's id; null until it assigns one. */
  readonly providerPayoutId: string | null
  readonly status: 'pending' | 'success' | 'failed' | 'reversed'
  readonly amountPaise: Paise
  /** The bank's reference. It may arrive after the success. */
  readonly utr: string | null
  /** The provider's status code; for logs and decisions, never shown to callers. */
  readonly reason: string | null
}

/** The content of a payout webhook. It only says what to query. */
export interface PayoutWebhook {
  readonly valid: boolean
  /** Empty for webhooks that do not concern us. */
  readonly transferIds: readonly string[]
  readonly dedupeKey: string
}

/** The port to a provider of payouts to bank accounts. */
export interface PayoutProvider {
  /** The name in our webhook address: `/v1/gateway/{name}/webhooks`. */
  readonly name: string
  /**
   * Registers the account and returns its beneficiary id: ours, or the one under which the provider already has the
   * account. A repetition with the same id and account returns the same.
   */
  ensureBeneficiary(beneficiary: Beneficiary): Promise<GatewayResult<{ readonly beneficiaryId: string }>>
  /** Sends money. `unknown`: it may have been sent, so call `get` before anything else. */
  send(payout: PayoutRequest): Promise<GatewayResult<ProviderPayout>>
  /** The payout with this id; null when the provider never got it. */
  get(transferId: string): Promise<GatewayResult<ProviderPayout | null>>
  parseWebhook(rawBody: Buffer, headers: IncomingHttpHeaders): PayoutWebhook
}
