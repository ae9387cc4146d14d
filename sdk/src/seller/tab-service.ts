import type { Authorization } from '../api/types.ts'
import { call } from '../client/call.ts'
import { type Client, connectionOf, optionsOf } from '../client/client.ts'
import type { CallOptions } from '../client/options.ts'
import { paiseFromRupees } from '../protocol/amount.ts'
import type { AuthorizationState } from './tab.ts'

/** What the service says of an authorization now. */
export interface AskedAuthorization extends AuthorizationState {
  readonly hasEnded: boolean
  /** When the question was sent, Unix milliseconds of this clock. */
  readonly askedAt: number
  /** Base64 of the 32 bytes; null: it takes no vouchers. */
  readonly voucherKey: string | null
  /** How far the service's clock is ahead of this one, in milliseconds. */
  readonly aheadMs: number
}

/** Asks the service about an authorization. Its clock is that of the response: a sandbox's may be anywhere. */
export async function askAuthorization(
  client: Client,
  authorizationId: string,
  now: () => number,
  options: CallOptions,
): Promise<AskedAuthorization> {
  const askedAt = now()
  const input = { authorization_id: authorizationId }
  const { body, headers } = await call(connectionOf(optionsOf(client)), 'getAuthorization', input, options)
  const { amount, captured, status, expires_at, voucher_key: voucherKey } = body as Authorization
  const date = Date.parse(headers.get('date') ?? '')
  return {
    authorizationId,
    ...{ amountPaise: paiseFromRupees(amount), capturedPaise: paiseFromRupees(captured) },
    ...{ expiresAt: Date.parse(expires_at), isOpen: status === 'open', voucherKey },
    askedAt,
    hasEnded: status !== 'open' && status !== 'closing',
    aheadMs: Number.isNaN(date) ? 0 : date - now(),
  }
}
