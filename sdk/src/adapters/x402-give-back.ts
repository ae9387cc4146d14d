import type { SettleX402PaymentInput } from '../api/types.ts'
import { isBatuaError } from '../client/errors.ts'
import type { CallOptions } from '../client/options.ts'
import { errorReporterOf } from '../seller/error-reporter.ts'
import { AFTERWARDS, type PaymentService } from '../seller/payment-service.ts'
import type { ShownPayment, ShownProof } from './x402-attempts.ts'

interface Payee {
  readonly client: Pick<PaymentService, 'refundPayment' | 'settleX402Payment'>
  readonly onError?: (error: unknown) => void
}

/** A request to the facilitator about a payment. */
export function requestOf(
  payment: ShownPayment,
  requirements: object,
  more: Readonly<Record<string, string>>,
): SettleX402PaymentInput {
  const paymentPayload = { ...payment, payload: { ...payment.payload, ...more } }
  return { x402Version: 2, paymentPayload, paymentRequirements: { ...requirements } }
}

/**
 * What the buyer gets back. The service may be unavailable then, so the request is repeated, and the money is returned
 * once.
 */
export function createLater({ client, onError }: Payee) {
  const report = errorReporterOf(onError)
  return {
    /** x402's server asks for a refund once. This asks again, under the same key. */
    async refund({ nonce, transactionId }: ShownProof): Promise<void> {
      const refund = { payment_id: String(transactionId), idempotency_key: `x402-${nonce}` }
      try {
        await client.refundPayment(refund, AFTERWARDS)
      } catch (error) {
        const isDone = isBatuaError(error) && ['idempotency_error', 'conflict'].includes(error.code)
        if (!isDone) report(error)
      }
    },
    /** The first try comes before the response, so that the buyer's next call finds its money back. */
    async giveBack(cancel: SettleX402PaymentInput): Promise<void> {
      const giveBack = async (how: CallOptions) => {
        const { success, errorReason } = await client.settleX402Payment(cancel, how)
        if (!success) report(new Error(`What was set aside could not be returned: ${errorReason ?? ''}`))
      }
      try {
        await giveBack({ maxRetries: 0 })
      } catch {
        void giveBack(AFTERWARDS).catch(report)
      }
    },
  }
}
