import type { CallPayment } from './options.ts'

const payments = new WeakMap<object, CallPayment>()

/** @internal Remembers what was paid for an answer, or for an error in place of one, as long as there is either. */
export function notePayment(answer: object, payment: CallPayment): void {
  payments.set(answer, payment)
}

/**
 * What was paid for a response of a paying fetch, or of an axios with a paying adapter, or for what it threw after it had
 * paid; undefined when nothing is known to have been paid. A clone of a response is another response, of which nothing is
 * known. A reason that aborts several calls tells of one of them.
 */
export function paymentOf(responseOrError: unknown): CallPayment | undefined {
  return typeof responseOrError === 'object' && responseOrError !== null
    ? payments.get(responseOrError)
    : undefined
}
