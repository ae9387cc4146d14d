import { type Static, Type } from 'typebox'
import { amountOut, EXAMPLE_TIME, lineText, spanEnd, textOut, timestamp } from './fields.ts'
import { MAX_AMOUNT_INR } from './formats.ts'
import { exampleId, idParam, idSchema } from './ids.ts'
import { listOf, pageQuery } from './lists.ts'
import { route } from './route.ts'
import { answer, nullable, oneOf, request } from './schema.ts'

/** Transaction types and statuses (interface section 2). */
export const TRANSACTION_TYPES = ['fund', 'pay_out', 'pay_in', 'withdraw', 'settlement', 'fee'] as const

export type TransactionType = (typeof TRANSACTION_TYPES)[number]

export const TRANSACTION_STATUSES = ['pending', 'completed', 'failed', 'reversed'] as const

export type TransactionStatus = (typeof TRANSACTION_STATUSES)[number]

/**
 * Why a payment does not verify, in the order of the checks (interface section 4; `payer_mismatch` by `expected_payer` and
 * the last by `consume`).
 */
export const VERIFY_FAILURES = [
  'transaction_not_found',
  'transaction_not_completed',
  'not_payee',
  'payee_mismatch',
  'payer_mismatch',
  'insufficient_amount',
  'nonce_mismatch',
  'nonce_already_used',
] as const

export type VerifyFailure = (typeof VERIFY_FAILURES)[number]

/** One line of a wallet's statement (interface section 2, contract section 4). Amounts in INR. */
export const Transaction = answer(
  {
    id: idSchema('txn'),
    type: oneOf(TRANSACTION_TYPES, 'What moved the money.'),
    amount: amountOut('The amount, INR, without the fee.'),
    fee: amountOut('The fee, INR.'),
    net_amount: amountOut(
      'What the wallet gained or lost, INR: fund amount − fee, pay_out amount + fee, else the amount. 0, as the fee, for a funding or payout that failed; while one is pending, what it will be; what was reversed keeps its figures.',
    ),
    counterparty_type: nullable(oneOf(['agent'], 'What the other side is; null for the bank.')),
    counterparty_id: nullable(
      idSchema('agt', 'The other agent; null for the bank, and for a hold that is meant for nobody yet.'),
    ),
    agent_name: textOut('The name of the agent whose wallet this is.', 'Research Agent'),
    counterparty_name: nullable(textOut('The other agent’s name; null for the bank.', 'Translation Agent')),
    reference: nullable(textOut('The payer’s reference.', 'invoice-2041')),
    note: nullable(textOut('The payer’s note.', 'Translation of 12 pages')),
    status: oneOf(
      TRANSACTION_STATUSES,
      'How it stands; `reversed` after it was completed. A hold is a pending pay_out: completed at release, reversed at refund.',
    ),
    created_at: timestamp('When it began.'),
    payment_id: Type.Optional(idSchema('pay', 'The payment that it is a side of, or refunds.')),
    funding_id: Type.Optional(idSchema('fund', 'The funding that it is.')),
    escrow_id: Type.Optional(idSchema('esc', 'The escrow that it belongs to.')),
    utr: Type.Optional(textOut('The bank’s reference of a payout.', 'UTR0000000001')),
  },
  {
    title: 'Transaction',
    description: 'One line of a wallet’s statement.',
    examples: [
      {
        id: exampleId('txn'),
        type: 'pay_out',
        amount: 400,
        fee: 2,
        net_amount: 402,
        counterparty_type: 'agent',
        counterparty_id: exampleId('agt', 2),
        agent_name: 'Research Agent',
        counterparty_name: 'Translation Agent',
        reference: 'invoice-2041',
        note: 'Translation of 12 pages',
        status: 'completed',
        created_at: EXAMPLE_TIME,
        payment_id: exampleId('pay'),
      },
    ],
  },
)
export type Transaction = Static<typeof Transaction>

/** The response to the verification of a payment (interface section 4). `amount` is a string with two decimals, in INR. */
export const Verification = answer(
  {
    verified: Type.Boolean({ description: 'Serve the resource only when this is true.' }),
    reason: Type.Optional(oneOf(VERIFY_FAILURES, 'Why it does not verify; absent when it does.')),
    transaction_id: textOut('The id that was asked for.', exampleId('pay')),
    from: nullable(idSchema('agt', 'The payer; null when the caller is not a party to it.')),
    to: nullable(idSchema('agt', 'The payee; null when the caller is not a party to it.')),
    amount: nullable(
      Type.String({
        description: 'What was paid, INR, as a decimal string with two places.',
        examples: ['12.50'],
      }),
    ),
    refunded: nullable(
      Type.String({
        description: 'What was given back of it so far, INR, as a decimal string with two places.',
        examples: ['0.00'],
      }),
    ),
    asset: oneOf(['INR'], 'The currency.'),
    created_at: nullable(timestamp('When it was paid.')),
  },
  {
    title: 'Verification',
    description: 'Whether the payment is what the caller expects.',
    examples: [
      {
        verified: true,
        transaction_id: exampleId('pay'),
        from: exampleId('agt'),
        to: exampleId('agt', 2),
        amount: '12.50',
        refunded: '0.00',
        asset: 'INR',
        created_at: EXAMPLE_TIME,
      },
      {
        verified: false,
        reason: 'transaction_not_found',
        transaction_id: exampleId('pay', 9),
        from: null,
        to: null,
        amount: null,
        refunded: null,
        asset: 'INR',
        created_at: null,
      },
    ],
  },
)
export type Verification = Static<typeof Verification>

const statementQuery = {
  type: Type.Optional(oneOf(TRANSACTION_TYPES, 'Only this type.')),
  status: Type.Optional(oneOf(TRANSACTION_STATUSES, 'Only this status.')),
  from_date: Type.Optional(spanEnd('The first day in IST, or moment.', '2026-11-01')),
  to_date: Type.Optional(spanEnd('The last day in IST, or moment.', '2026-11-30T18:29:59.999Z')),
  ...pageQuery,
}

export const listTransactions = route({
  operationId: 'listTransactions',
  method: 'GET',
  path: '/v1/agents/{agent_id}/transactions',
  tag: 'Transactions',
  summary: 'List transactions',
  description:
    'The wallet’s statement, newest first. A date in `from_date` or `to_date` is a whole day in IST; both ends are included.',
  who: ['platform', 'agent', 'owner'],
  params: request({ agent_id: idParam('agt') }),
  query: request(statementQuery),
  status: 200,
  response: listOf('transactions', Transaction, {
    title: 'TransactionList',
    description: 'A page of the statement.',
  }),
  errors: ['not_found', 'authorization_error'],
})

export const listOwnerTransactions = route({
  operationId: 'listOwnerTransactions',
  method: 'GET',
  path: '/api/web/transactions',
  tag: 'Owner session',
  summary: 'List transactions of all agents',
  description:
    'The statements of all agents of the session’s owners in one list, newest first; `agent_name` tells them apart. A payment between two of them is a line on both sides.',
  who: ['owner'],
  query: request({
    owner_id: Type.Optional(
      idSchema('own', 'Only the agents of this owner, one of the session’s; another is `not_found`.'),
    ),
    agent_id: Type.Optional(idSchema('agt', 'Only this agent.')),
    ...statementQuery,
  }),
  status: 200,
  response: listOf('transactions', Transaction, {
    title: 'OwnerTransactionList',
    description: 'A page of the statements.',
  }),
  errors: ['not_found', 'authorization_error'],
})

export const verifyTransaction = route({
  operationId: 'verifyTransaction',
  method: 'GET',
  path: '/v1/transactions/{txn_id}/verify',
  tag: 'Transactions',
  summary: 'Verify a payment',
  description:
    'For the payee, with its own key: was this payment made, to me, of enough, for this nonce? 200 either way; `reason` says what failed first. A funding, a payout, a refund or an allocation is no payment: `transaction_not_completed` or, once it is completed, `not_payee`. Every check is optional except that the caller must be the payee. An escrow that was released to you verifies like a payment, by the `txn_` id of its line or of the hold. With `consume=true` a nonce verifies only once, so that a seller needs no store of used nonces. Only what does not verify counts against a rate limit, one of its own that is ten times an agent’s.',
  who: ['agent'],
  params: request({ txn_id: idParam('txn', 'The payment’s id (`pay_`) or a transaction’s id (`txn_`).') }),
  query: request({
    expected_payee: Type.Optional(
      lineText('The payee that you expect: an agent id or a handle.', 'translator'),
    ),
    expected_payer: Type.Optional(
      lineText('The payer that you expect: an agent id or a handle.', 'researcher'),
    ),
    expected_amount: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: MAX_AMOUNT_INR,
        format: 'inr',
        description: 'The least amount that you accept, INR; what is left after refunds is compared.',
        examples: [12.5],
      }),
    ),
    nonce: Type.Optional(
      lineText(
        'The nonce that you gave out; the payment’s reference must equal it.',
        '0b54f0c2-7a0e-4a52-9a51-4a6c3a1f0d7e',
      ),
    ),
    consume: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Use the nonce up in the same step. Needs `nonce`; only a verified one is used up.',
        examples: [true],
      }),
    ),
    consume_id: Type.Optional(
      lineText(
        'Your own name for this use: the same one again gets the first answer again, and with it you can undo the use, once.',
        'request-91c2',
      ),
    ),
  }),
  status: 200,
  response: Verification,
  errors: [],
})

export const restoreNonce = route({
  operationId: 'restoreNonce',
  method: 'POST',
  path: '/v1/transactions/{txn_id}/restore-nonce',
  tag: 'Transactions',
  summary: 'Restore a nonce',
  description:
    'For the payee, with its own key: undoes the use that verifying with `consume=true` and a `consume_id` granted, when you could then not serve what was paid for. The buyer’s repeat with the same payment verifies again, once, so that it need not pay again. To give the money back instead, refund the payment. Only the use with exactly this payment, nonce and `consume_id` is undone; a use without a `consume_id` never is. Verifying under an undone `consume_id` answers `nonce_already_used`, so that a verification late on its way changes nothing: verify the buyer’s repeat under a new one. If the answer to a verification never came, ask it again under the same `consume_id` before you restore: of a use that has not arrived yet `restored` is false, and it may arrive. 200 either way: a repeat under another Idempotency-Key, and whatever is not yours, answers `restored` false.',
  who: ['agent'],
  params: request({ txn_id: idParam('txn', 'The id that you verified: `pay_` or `txn_`.') }),
  body: request(
    {
      nonce: lineText('The nonce that you used up.', '0b54f0c2-7a0e-4a52-9a51-4a6c3a1f0d7e'),
      consume_id: lineText('The name that you gave that use.', 'request-91c2'),
    },
    {
      title: 'RestoreNonceRequest',
      examples: [{ nonce: '0b54f0c2-7a0e-4a52-9a51-4a6c3a1f0d7e', consume_id: 'request-91c2' }],
    },
  ),
  status: 200,
  response: answer(
    {
      nonce: textOut('The nonce that was asked for.', '0b54f0c2-7a0e-4a52-9a51-4a6c3a1f0d7e'),
      restored: Type.Boolean({
        description: 'Whether this call undid the use; false when there was none of that name, or no longer.',
      }),
    },
    {
      title: 'NonceRestoration',
      description: 'Whether the nonce may be used again.',
      examples: [{ nonce: '0b54f0c2-7a0e-4a52-9a51-4a6c3a1f0d7e', restored: true }],
    },
  ),
  errors: [],
})
