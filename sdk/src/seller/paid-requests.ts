import type { AcceptedPayment } from './options.ts'

const payments = new WeakMap<object, AcceptedPayment>()

/** What a served request was paid with; undefined when it was free. `request` is the framework's own object. */
export function paymentFor(request: object): AcceptedPayment | undefined {
  return payments.get(request)
}

/** @internal For adapters: lets `paymentFor` find the payment of a request. */
export function rememberPayment(request: object, payment: AcceptedPayment): void {
  payments.set(request, payment)
}
