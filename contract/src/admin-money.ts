import { type Static, Type } from 'typebox'
import { amountOut, EXAMPLE_TIME, textOut, timestamp } from './fields.ts'
import { exampleId, idSchema } from './ids.ts'
import { listOf, pageQuery } from './lists.ts'
import { route } from './route.ts'
import { nullable, oneOf, request, response } from './schema.ts'

/** A wallet that a chargeback took below zero (contract section 4). Amounts in INR. */
export const NegativeWallet = response(
  {
    agent_id: idSchema('agt'),
    agent_name: textOut('Its name.', 'Research Agent'),
    owner_id: idSchema('own'),
    platform_id: idSchema('plt'),
    balance: amountOut('The balance, INR: below 0. The wallet cannot send until it is positive.'),
    reversed_at: timestamp('The time of the last chargeback.'),
  },
  {
    title: 'NegativeWallet',
    description: 'A wallet that owes money after a chargeback.',
    examples: [
      {
        agent_id: exampleId('agt'),
        agent_name: 'Research Agent',
        owner_id: exampleId('own'),
        platform_id: exampleId('plt'),
        balance: -402,
        reversed_at: EXAMPLE_TIME,
      },
    ],
  },
)
export type NegativeWallet = Static<typeof NegativeWallet>

export const listNegativeWallets = route({
  operationId: 'listNegativeWallets',
  method: 'GET',
  path: '/v1/admin/negative-wallets',
  tag: 'Administration',
  summary: 'List wallets below zero',
  description:
    'Wallets whose money had been spent before a chargeback. Fundings and incoming payments restore the balance.',
  who: ['admin'],
  query: request(pageQuery),
  status: 200,
  response: listOf('wallets', NegativeWallet, {
    title: 'NegativeWalletList',
    description: 'A page of wallets below zero.',
  }),
  errors: [],
})

/**
 * The kinds of differences between the ledger and the gateway. Both the row and the transfers of a funding or payout are
 * compared with the gateway. `unchecked`: the gateway could not be queried, so it is unknown whether it differs.
 */
export const DIFFERENCE_KINDS = [
  'payment_not_credited',
  'credited_not_paid',
  'amount_differs',
  'fee_differs',
  'payment_unknown_here',
  'refund_not_made',
  'refund_status_differs',
  'chargeback_not_posted',
  'chargeback_unknown_there',
  'payout_status_differs',
  'payout_amount_differs',
  'payout_utr_differs',
  'payout_unknown_there',
  'settlement_amount_differs',
  'unchecked',
] as const

export type DifferenceKind = (typeof DIFFERENCE_KINDS)[number]

/** One difference between the ledger and the gateway. Amounts in INR. */
export const Difference = response(
  {
    kind: oneOf(DIFFERENCE_KINDS, 'The kind of difference.'),
    subject: textOut(
      'The id of the funding, payout or refund, or of the order or settlement at the gateway.',
      exampleId('fund'),
    ),
    agent_id: nullable(idSchema('agt', 'The agent whose wallet is concerned; null if there is none.')),
    ours: nullable(textOut('The status and amount in the ledger.', 'completed 1000.00')),
    theirs: nullable(textOut('The status and amount that the gateway reports.', 'paid 500.00')),
    amount: Type.Number({ description: 'The amount concerned, INR.', examples: [500] }),
    found_at: timestamp('When it was first found.'),
  },
  {
    title: 'Difference',
    description: 'A difference between the ledger and the gateway’s records.',
    examples: [
      {
        kind: 'amount_differs',
        subject: exampleId('fund'),
        agent_id: exampleId('agt'),
        ours: 'completed 1000.00',
        theirs: 'paid 500.00',
        amount: 500,
        found_at: EXAMPLE_TIME,
      },
    ],
  },
)
export type Difference = Static<typeof Difference>

export const listDifferences = route({
  operationId: 'listDifferences',
  method: 'GET',
  path: '/v1/admin/reconciliation',
  tag: 'Administration',
  summary: 'List differences with the gateway',
  description:
    'Differences between the ledger and the gateway’s orders, payouts and settlements, newest first. They are compared every night at 03:30 IST. A difference stays until a later comparison finds it resolved; nothing is corrected automatically. `unchecked`: the gateway did not respond to the query. The list should be empty.',
  who: ['admin'],
  query: request({
    kind: Type.Optional(oneOf(DIFFERENCE_KINDS, 'Only differences of this kind.')),
    ...pageQuery,
  }),
  status: 200,
  response: listOf('differences', Difference, {
    title: 'DifferenceList',
    description: 'A page of differences.',
  }),
  errors: [],
})
