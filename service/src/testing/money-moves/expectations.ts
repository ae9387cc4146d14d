import { CONNECTION_FAULTS } from './faulty-connection.ts'
import { MAGIC_RUPEES, SIMULATED } from './funding-steps.ts'

/** The counters that even a short run must reach: each fault, each simulated outcome, each kind of end. */
export const ALWAYS_MET: readonly string[] = [
  ...CONNECTION_FAULTS.map(fault => `connection: ${fault}`),
  ...['0', '1', '2', '3'].map(copies => `webhook: ${copies} times`),
  ...['webhook: late', 'webhook: refused', 'webhook: comes again'],
  ...['end: funding completed', 'end: funding reversed', 'end: funding failed expired'],
  ...['end: withdraw completed', 'end: settlement completed'],
  'end: escrow refunded',
  ...['end: refund late done', 'end: refund second_payment done', 'end: refund wrong_amount done'],
  ...['withdraw: asked for again', 'sent again after asking', 'payments between agents'],
]

const CALLS = [
  ...['create order', 'get order', 'cancel order', 'refund', 'get refund'],
  ...['ensure beneficiary', 'send payout', 'get payout', 'verify account'],
]

/** The counters that only a long run reaches with certainty. */
export const MET_AT_LENGTH: readonly string[] = [
  ...ALWAYS_MET,
  ...SIMULATED.map(outcome => `simulated: ${outcome}`),
  ...MAGIC_RUPEES.map(rupees => `magic amount: ${rupees}`),
  ...CALLS.map(call => `connection: ${call}: request lost`),
  ...['create order', 'refund', 'send payout'].flatMap(call => [
    `connection: ${call}: response lost`,
    `connection: ${call}: request late`,
  ]),
  ...['node: died at work', 'caller: the node died', 'clock: leases ran out at work'],
  ...['end: funding failed cancelled', 'end: funding failed payment_failed'],
  ...['end: funding failed gateway_refused', 'end: wallet below zero by a chargeback'],
  ...['end: withdraw failed', 'end: withdraw reversed'],
  ...['end: settlement failed', 'end: settlement reversed', 'end: escrow held'],
  'end: escrow released',
  ...['end: refund wrong_currency done', 'end: refund unknown_order done'],
  ...['end: kyc verified', 'end: kyc failed'],
  ...[
    'refused: insufficient_balance',
    'refused: kyc_required',
    'refused: conflict',
    'refused: gateway_error',
  ],
]
