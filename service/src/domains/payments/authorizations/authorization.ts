import type { AuthorizationStatus, PaymentContext } from '@batua/contract'
import type { AppIdentity } from '../../../http/caller.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { type Paise, paise } from '../../../kernel/money.ts'
import { paymentFee } from '../fee.ts'

/** The key of an authorization. The payer's id comes first, because the row is stored by it. */
export interface AuthorizationKey {
  readonly agentId: Uuid
  readonly id: Uuid
}

/** The requested authorization, parsed: money in paise, the payee resolved. */
export interface AuthorizationIntent {
  readonly payerId: Uuid
  /** null: no agent has the given id or handle. */
  readonly payeeId: Uuid | null
  readonly amountPaise: Paise
  readonly expiresInSeconds: number
  readonly reference: string | null
  readonly idempotencyKey: string | null
  /** The Ed25519 key that signs vouchers, base64; null: captures need none. */
  readonly voucherKey: string | null
  /** Why the agent spends. It is no term of the authorization. */
  readonly context: PaymentContext | null
  /** The app that opens it for the payer; null: none does. */
  readonly app: AppIdentity | null
}

/** Money set aside for one payee, or that was; the id is that of the transfer that set it aside. */
export interface Authorization extends AuthorizationKey {
  readonly payeeId: Uuid
  readonly amountPaise: Paise
  /** The fee on the whole amount, which is set aside too. */
  readonly feeReservedPaise: Paise
  readonly reference: string | null
  readonly voucherKey: string | null
  readonly createdAt: Date
  /** When the closing begins by itself. */
  readonly expiresAt: Date
  /** The payer's sequence when the money was set aside. */
  readonly holdSequence: bigint
  /** As it was last written. Time may have passed since: see `presentAt`. */
  readonly status: AuthorizationStatus
  readonly capturedPaise: Paise
  /** The last capture, or the transfer that ended it; null: neither yet. */
  readonly lastTransferId: Uuid | null
  /** The day in IST of the last capture, and how many there were on it. */
  readonly capturesDay: number
  readonly dayCaptures: number
  /** When the closing began; null: it has not. */
  readonly closingSince: Date | null
  /** How long the payer's money had been blocked by then, in milliseconds. */
  readonly closingBlockedMs: bigint | null
  /** What was charged at the end. */
  readonly feePaise: Paise
  readonly closedAt: Date | null
  /** The app that opened it; null: none did. */
  readonly appId: Uuid | null
  /** When the job checks it next; null: it has ended. */
  readonly nextTryAt: Date | null
}

/** Whether it has ended, by what was last written. */
export function hasEnded({ status }: Pick<Authorization, 'status'>): boolean {
  return status !== 'open' && status !== 'closing'
}

/** The fee on what was captured: none on nothing. */
export function feeOn(capturedPaise: Paise): Paise {
  return capturedPaise === 0n ? capturedPaise : paymentFee(capturedPaise)
}

/** What can still be captured. */
export function remainingPaise(authorization: Authorization): Paise {
  const { amountPaise, capturedPaise } = authorization
  return paise(hasEnded(authorization) ? 0n : amountPaise - capturedPaise)
}
