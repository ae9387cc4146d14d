import { type Static, Type } from 'typebox'
import { amountOut, EXAMPLE_TIME, textOut, timestamp } from './fields.ts'
import { exampleId, idSchema } from './ids.ts'
import { listOf, pageQuery } from './lists.ts'
import { route } from './route.ts'
import { answer, nullable, oneOf, request } from './schema.ts'

/** A wallet that a chargeback took below zero (contract section 4). Amounts in INR. */
export const NegativeWallet = answer(
  {
    agent_id: idSchema('agt'),
    agent_name: textOut('Its name.', 'Research Agent'),
    owner_id: idSchema('own'),
    platform_id: idSchema('plt'),
    balance: amountOut('What it holds, INR: below 0. Nothing can be sent until it is positive.'),
    reversed_at: timestamp('When the bank last took a funding back.'),
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
    'Wallets whose money was spent before a chargeback took it back. Fundings and payments to them fill them up again.',
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
export const Difference = answer(
  {
    kind: oneOf(DIFFERENCE_KINDS, 'What differs.'),
    subject: textOut(
      'What it is about: a funding, a payout or refund, an order or a settlement at the gateway.',
      exampleId('fund'),
    ),
    agent_id: nullable(idSchema('agt', 'Whose wallet it concerns; null when it is nobody’s.')),
    ours: nullable(textOut('What the book says.', 'completed 1000.00')),
    theirs: nullable(textOut('What the gateway says.', 'paid 500.00')),
    amount: Type.Number({ description: 'What is at stake, INR.', examples: [500] }),
    found_at: timestamp('When it was first seen.'),
  },
  {
    title: 'Difference',
    description: 'Something that the book and the gateway tell differently.',
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
    'Where the book and the gateway’s orders, payouts and settlements differ, newest first. They are compared every night at 03:30 IST; a difference stays until a comparison finds it gone, and nothing is ever corrected by itself. `unchecked` is what the gateway did not answer about. An empty list is how it should be.',
  who: ['admin'],
  query: request({ kind: Type.Optional(oneOf(DIFFERENCE_KINDS, 'Only those of this kind.')), ...pageQuery }),
  status: 200,
  response: listOf('differences', Difference, {
    title: 'DifferenceList',
    description: 'A page of differences.',
  }),
  errors: [],
})
