/** Payments between agents: pay, look up, refund. */
export { executePayment } from './approve.ts'
export { canReceive, decideBalance, decideHeld, decideSender, untilActive } from './decide.ts'
export { paymentFee } from './fee.ts'
export { type PaymentOrder, pay } from './pay.ts'
export { type PaymentsContext, servePayments } from './routes.ts'
export { payerKey, type Use, usedKeys, useInForce } from './uses.ts'
