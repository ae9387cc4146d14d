import type { AcceptedPayment } from './options.ts'

const payments = new WeakMap<object, AcceptedPayment>()

/** The payment of a served request; undefined if it was free. `request` is the framework's object. */
export function paymentFor(request: object): AcceptedPayment | undefined {
  return payments.get(request)
}

/** @internal For adapters: lets `paymentFor` find the payment of a request. */
export function rememberPayment(request: object, payment: AcceptedPayment): void {
  payments.set(request, payment)
}
