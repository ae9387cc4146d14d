/** Payments between agents: pay, look up, refund. */
export { canReceive, decideBalance, decideHeld, decideSender, untilActive } from './decide.ts'
export { paymentFee } from './fee.ts'
export { executePayment, type PaymentOrder, pay } from './pay.ts'
export { type PaymentsContext, servePayments } from './routes.ts'
export {
  prepareSpend,
  type Spending,
  type SpendPlan,
  spendApproved,
  spendCommand,
} from './spend.ts'
export type { Use } from './uses.ts'
