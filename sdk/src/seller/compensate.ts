import { isBatuaError } from '../client/errors.ts'
import { rupeesNumber } from '../protocol/amount.ts'
import { isServed } from '../protocol/messages.ts'
import type { SellerContext } from './context.ts'
import type { NonceUse } from './nonce-uses.ts'
import { AFTERWARDS, type PaymentService } from './payment-service.ts'

/** Compensates a payment whose request was not served. It never throws, and a second call does nothing. */
export function compensationOf(context: SellerContext, use: NonceUse): (status: number) => Promise<void> {
  let isFinished = false
  return async status => {
    if (isFinished) return
    isFinished = true
    if (isServed(status)) return
    try {
      await compensateUse(context, use)
    } catch (error) {
      context.onError(error)
    }
  }
}

function compensateUse({ onFailure, service, uses, inTurn }: SellerContext, use: NonceUse): Promise<void> {
  if (onFailure === 'refund') return refund(service, use)
  // A repeated proof in this process waits until its nonce is valid again. If that fails, the payment is refunded.
  return inTurn(use.proof.nonce, null, () => uses.giveBack(use).catch(() => refund(service, use)))
}

/** Refunds the price, once. More may have been paid, for something else. */
export async function refund(service: PaymentService, { proof, amountPaise }: NonceUse): Promise<void> {
  const input = {
    payment_id: proof.transactionId,
    amount: rupeesNumber(amountPaise),
    idempotency_key: `pay-per-call-${proof.nonce}`,
  }
  try {
    await service.refundPayment(input, AFTERWARDS)
  } catch (error) {
    if (!wasRefunded(error)) throw error
  }
}

/** Refunded under this key, by a call whose response was lost. */
function wasRefunded(error: unknown): boolean {
  return isBatuaError(error) && error.code === 'idempotency_error' && error.retryAfterMs === null
}
