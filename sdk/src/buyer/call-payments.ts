import type { CallPayment } from './options.ts'

const payments = new WeakMap<object, CallPayment>()

/** Remembers what was paid for an answer, as long as there is the answer. */
export function notePayment(answer: object, payment: CallPayment): void {
  payments.set(answer, payment)
}

/**
 * What was paid for a response of a paying fetch, or of an axios with a paying adapter; undefined when it cost nothing. A
 * clone of a response is another response, of which nothing is known.
 */
export function paymentOf(response: object): CallPayment | undefined {
  return payments.get(response)
}
