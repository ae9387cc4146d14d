import type { PaymentResult } from '@batua/contract'
import type { ReceiptsContext } from './context.ts'
import { provenPayment } from './read-receipt.ts'
import { receiptContent, receiptToken } from './receipt.ts'

/**
 * The token of the receipt of a payment that was just made, for its payer; null while the payment waits. The money has
 * moved, so a token that cannot be signed now is null as well: an error would read as if nothing had been paid.
 */
export async function receiptTokenOf(
  context: ReceiptsContext,
  { payment_id: paymentId }: Pick<PaymentResult, 'payment_id'>,
): Promise<string | null> {
  if (paymentId === null) return null
  try {
    const { facts, key } = await provenPayment(context, paymentId)
    return await receiptToken(receiptContent(facts, context.serviceName, key.id), key)
  } catch (error) {
    context.logger.error({ err: error, payment: paymentId }, 'the token of a receipt could not be signed')
    return null
  }
}
