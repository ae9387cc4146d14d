import { isBatuaError } from '../client/errors.ts'
import { isServed } from '../protocol/messages.ts'
import type { SellerContext } from './context.ts'
import type { NonceUse } from './nonce-uses.ts'
import { AFTERWARDS, type PaymentService } from './payment-service.ts'

/** Makes a payment good whose request was not served. It never throws, and the second call does nothing. */
export function settlementOf(context: SellerContext, use: NonceUse): (status: number) => Promise<void> {
  let isFinished = false
  return async status => {
    if (isFinished) return
    isFinished = true
    if (isServed(status)) return
    try {
      await settle(context, use)
    } catch (error) {
      context.onError(error)
    }
  }
}

function settle({ onFailure, service, uses, inTurn }: SellerContext, use: NonceUse): Promise<void> {
  if (onFailure === 'refund') return refund(service, use)
  // A repeat of the proof in this process waits until its nonce is good again. Where it cannot be, the money goes back.
  return inTurn(use.proof.nonce, null, () => uses.giveBack(use).catch(() => refund(service, use)))
}

/** Gives a payment back whole, once. */
export async function refund(service: PaymentService, { proof }: NonceUse): Promise<void> {
  const input = { payment_id: proof.transactionId, idempotency_key: `pay-per-call-${proof.nonce}` }
  try {
    await service.refundPayment(input, AFTERWARDS)
  } catch (error) {
    if (!wasRefunded(error)) throw error
  }
}

/** Under this very key, by a call whose answer was lost. */
function wasRefunded(error: unknown): boolean {
  return isBatuaError(error) && error.code === 'idempotency_error' && error.retryAfterMs === null
}
