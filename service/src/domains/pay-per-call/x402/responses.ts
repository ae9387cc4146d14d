import type { ResponseOf, settleX402Payment, VerifyFailure, verifyX402Payment } from '@batua/contract'
import { AppError } from '../../../kernel/app-error.ts'
import type { AuthorizationsContext, RefundsContext } from '../../payments/index.ts'
import type { VerificationContext } from '../verify-payment.ts'
import type { Rail, RequestRefusal, X402Payment } from './request.ts'

export interface X402Context extends VerificationContext, RefundsContext, AuthorizationsContext {
  readonly rail: Rail
}

export type X402Verification = ResponseOf<typeof verifyX402Payment>
export type X402Settlement = ResponseOf<typeof settleX402Payment>

/** Why a payment is refused. `policy_denied`: a side is stopped now, and the payment may be valid later. */
export type X402Refusal = VerifyFailure | RequestRefusal | 'policy_denied'

export function notValid(invalidReason: X402Refusal): X402Verification {
  return { isValid: false, invalidReason }
}

export function notSettled({ rail }: Pick<X402Context, 'rail'>, errorReason: string): X402Settlement {
  return { success: false, errorReason, transaction: '', network: rail.network }
}

export function settled(
  { rail }: X402Context,
  { payer }: X402Payment,
  transaction: string,
  amount?: string,
): X402Settlement {
  return {
    ...{ success: true, transaction, network: rail.network, payer },
    ...(amount === undefined ? {} : { amount }),
  }
}

/** Whether the service has refused to move money; x402 gets that as a reason. */
export function isOwnRefusal(error: unknown): error is AppError {
  return error instanceof AppError && error.status < 500 && error.status !== 401
}
