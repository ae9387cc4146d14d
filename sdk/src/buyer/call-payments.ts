import type { CallPayment } from './options.ts'

const payments = new WeakMap<object, CallPayment>()

/** @internal Remembers the payment of a response, or of an error instead of one, as long as that exists. */
export function notePayment(response: object, payment: CallPayment): void {
  payments.set(response, payment)
}

/**
 * The payment of a response of a paying fetch, or of an axios with a paying adapter, or of an error thrown after a
 * payment; undefined if no payment is known. A clone of a response is another response, without a known payment. An
 * abort reason of several calls has the payment of one of them.
 */
export function paymentOf(responseOrError: unknown): CallPayment | undefined {
  return typeof responseOrError === 'object' && responseOrError !== null
    ? payments.get(responseOrError)
    : undefined
}
