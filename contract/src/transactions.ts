import { type Static, Type } from 'typebox'
import { amountOut, EXAMPLE_TIME, lineText, spanEnd, textOut, timestamp } from './fields.ts'
import { MAX_AMOUNT_INR } from './formats.ts'
import { exampleId, idParam, idSchema } from './ids.ts'
import { listOf, pageQuery } from './lists.ts'
import { route } from './route.ts'
import { nullable, oneOf, request, response } from './schema.ts'

/** Transaction types and statuses (interface section 2). */
export const TRANSACTION_TYPES = ['fund', 'pay_out', 'pay_in', 'withdraw', 'settlement', 'fee'] as const

export type TransactionType = (typeof TRANSACTION_TYPES)[number]

export const TRANSACTION_STATUSES = ['pending', 'completed', 'failed', 'reversed'] as const

export type TransactionStatus = (typeof TRANSACTION_STATUSES)[number]

/** Why a funding or payout failed. The words of gateways and banks are not passed on; each is one of these. */
export const FAILURE_REASONS = [
  'expired',
  'cancelled',
  'payment_failed',
  'gateway_refused',
  'agent_deactivated',
  'bank_account_refused',
  'bank_unavailable',
  'returned_by_bank',
] as const

export type FailureReason = (typeof FAILURE_REASONS)[number]

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

/** A line for the examples of lists. */
export const transactionExample = {
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
}

/** One line of a wallet's statement (interface section 2, contract section 4). Amounts in INR. */
export const Transaction = response(
  {
    id: idSchema('txn'),
    type: oneOf(TRANSACTION_TYPES, 'The type of the transaction.'),
    amount: amountOut('The amount, INR, without the fee.'),
    fee: amountOut('The fee, INR.'),
    net_amount: amountOut(
      'What the wallet gained or lost, INR: fund amount − fee, pay_out amount + fee, else the amount. For a failed funding or payout this and the fee are 0; for a pending one they have the expected values; a reversed transaction keeps its values.',
    ),
    counterparty_type: nullable(oneOf(['agent'], 'The kind of the other party; null for the bank.')),
    counterparty_id: nullable(
      idSchema('agt', 'The other agent; null for the bank, and for a hold without a recipient.'),
    ),
    agent_name: textOut('The name of the agent whose wallet this is.', 'Research Agent'),
    counterparty_name: nullable(textOut('The other agent’s name; null for the bank.', 'Translation Agent')),
    reference: nullable(textOut('The payer’s reference.', 'invoice-2041')),
    note: nullable(textOut('The payer’s note.', 'Translation of 12 pages')),
    status: oneOf(
      TRANSACTION_STATUSES,
      'The status; `reversed` only after `completed`. An escrow hold is a pending pay_out: completed at its release, reversed at its refund. So is an authorization: completed at its end with what was captured, reversed if nothing was.',
    ),
    created_at: timestamp('When it was created.'),
    payment_id: Type.Optional(idSchema('pay', 'The payment that this line belongs to or refunds.')),
    funding_id: Type.Optional(idSchema('fund', 'The funding of this line.')),
    escrow_id: Type.Optional(idSchema('esc', 'The escrow of this line.')),
    authorization_id: Type.Optional(idSchema('ath', 'The authorization of this line.')),
    utr: Type.Optional(textOut('The bank’s reference of a payout.', 'UTR0000000001')),
    failure_reason: Type.Optional(
      oneOf(
        FAILURE_REASONS,
        'Why a funding or payout failed, or why the bank sent a payout back; absent for others, and where no reason is known.',
      ),
    ),
  },
  {
    title: 'Transaction',
    description: 'One line of a wallet’s statement.',
    examples: [transactionExample],
  },
)
export type Transaction = Static<typeof Transaction>

/** A line among those of several wallets of a platform. */
export const PlatformTransaction = response(
  { ...Transaction.properties, agent_id: idSchema('agt', 'The agent whose wallet this is.') },
  {
    title: 'PlatformTransaction',
    description: 'One line of the statement of one of your agents.',
    examples: [{ ...transactionExample, agent_id: exampleId('agt') }],
  },
)
export type PlatformTransaction = Static<typeof PlatformTransaction>

/** The response to the verification of a payment (interface section 4). `amount` is a string with two decimals, in INR. */
export const Verification = response(
  {
    verified: Type.Boolean({ description: 'Serve the resource only when this is true.' }),
    reason: Type.Optional(oneOf(VERIFY_FAILURES, 'Why it is not verified; absent if it is.')),
    transaction_id: textOut('The id from the request.', exampleId('pay')),
    from: nullable(idSchema('agt', 'The payer; null if the caller is not a party to the payment.')),
    to: nullable(idSchema('agt', 'The payee; null if the caller is not a party to the payment.')),
    amount: nullable(
      Type.String({
        description: 'The amount paid, INR, as a string with two decimals.',
        examples: ['12.50'],
      }),
    ),
    refunded: nullable(
      Type.String({
        description: 'The amount refunded so far, INR, as a string with two decimals.',
        examples: ['0.00'],
      }),
    ),
    asset: oneOf(['INR'], 'The currency.'),
    created_at: nullable(timestamp('When it was paid.')),
  },
  {
    title: 'Verification',
    description: 'Whether the payment is as the caller expects.',
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

/** The filters of every statement. */
export const statementQuery = {
  type: Type.Optional(oneOf(TRANSACTION_TYPES, 'Only transactions of this type.')),
  status: Type.Optional(oneOf(TRANSACTION_STATUSES, 'Only transactions with this status.')),
  from_date: Type.Optional(spanEnd('The first day in IST, or a time.', '2026-11-01')),
  to_date: Type.Optional(spanEnd('The last day in IST, or a time.', '2026-11-30T18:29:59.999Z')),
  ...pageQuery,
}

export const listTransactions = route({
  operationId: 'listTransactions',
  method: 'GET',
  path: '/v1/agents/{agent_id}/transactions',
  tag: 'Transactions',
  summary: 'List transactions',
  description:
    'The wallet’s statement, newest first. A date in `from_date` or `to_date` means the whole day in IST, inclusive.',
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

export const listPlatformTransactions = route({
  operationId: 'listPlatformTransactions',
  method: 'GET',
  path: '/v1/transactions',
  tag: 'Transactions',
  summary: 'List transactions of all agents',
  description:
    'The statements of all agents of your platform in one list, newest first; `agent_name` names the agent. A payment between two of them has two lines. Beyond the first pages use `cursor`.',
  who: ['platform'],
  query: request({
    agent_id: Type.Optional(idSchema('agt', 'Only transactions of this agent.')),
    reference: Type.Optional(
      lineText('Only payments and holds that your agents made with this reference.', 'invoice-2041'),
    ),
    ...statementQuery,
  }),
  status: 200,
  response: listOf('transactions', PlatformTransaction, {
    title: 'PlatformTransactionList',
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
    'For the payee, with its own key: checks that the payment was made to the caller, with at least the expected amount and with the nonce. The status is 200 in both cases; `reason` names the first failed check. A funding, payout, refund or allocation is not a payment: `transaction_not_completed` or, once it is completed, `not_payee`. The caller must be the payee; all other checks are optional. An escrow that was released to the caller is verified like a payment, by the `txn_` id of its line or of the hold. With `consume=true` a nonce is verified only once, so a seller needs no store of used nonces. Only failed verifications count against a rate limit, which is separate and ten times an agent’s.',
  who: ['agent'],
  params: request({ txn_id: idParam('txn', 'The payment’s id (`pay_`) or a transaction’s id (`txn_`).') }),
  query: request({
    expected_payee: Type.Optional(lineText('The expected payee: an agent id or a handle.', 'translator')),
    expected_payer: Type.Optional(lineText('The expected payer: an agent id or a handle.', 'researcher')),
    expected_amount: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: MAX_AMOUNT_INR,
        format: 'inr',
        description: 'The minimum amount, INR; compared with the amount that is left after refunds.',
        examples: [12.5],
      }),
    ),
    nonce: Type.Optional(
      lineText(
        'The nonce of your price; the payment’s reference must equal it.',
        '0b54f0c2-7a0e-4a52-9a51-4a6c3a1f0d7e',
      ),
    ),
    consume: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'If true, consumes the nonce in the same step. Requires `nonce`; only a verified nonce is consumed.',
        examples: [true],
      }),
    ),
    consume_id: Type.Optional(
      lineText(
        'Your own id for this use. A repeated request with the same id gets the first response again, and the id can undo the use once.',
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
    'For the payee, with its own key: undoes a use of a nonce by a verification with `consume=true` and a `consume_id`, if you could then not serve the paid request. The buyer’s repeated request with the same payment is then verified again, once, so the buyer need not pay again. To return the money instead, refund the payment. Only the use with exactly this payment, nonce and `consume_id` is undone; a use without a `consume_id` cannot be undone. Verifying with an undone `consume_id` returns `nonce_already_used`, so a delayed verification changes nothing: verify the buyer’s repeated request with a new one. If the response to a verification was lost, repeat it with the same `consume_id` before you restore: if the verification has not arrived yet, `restored` is false, and it may still arrive. The status is 200 in both cases: a repetition with another Idempotency-Key, or a payment that is not yours, returns `restored` false.',
  who: ['agent'],
  params: request({ txn_id: idParam('txn', 'The verified id: `pay_` or `txn_`.') }),
  body: request(
    {
      nonce: lineText('The consumed nonce.', '0b54f0c2-7a0e-4a52-9a51-4a6c3a1f0d7e'),
      consume_id: lineText('The `consume_id` of that use.', 'request-91c2'),
    },
    {
      title: 'RestoreNonceRequest',
      examples: [{ nonce: '0b54f0c2-7a0e-4a52-9a51-4a6c3a1f0d7e', consume_id: 'request-91c2' }],
    },
  ),
  status: 200,
  response: response(
    {
      nonce: textOut('The nonce from the request.', '0b54f0c2-7a0e-4a52-9a51-4a6c3a1f0d7e'),
      restored: Type.Boolean({
        description: 'Whether this request undid the use; false if there is no such use, or no longer.',
      }),
    },
    {
      title: 'NonceRestoration',
      description: 'Whether the nonce can be used again.',
      examples: [{ nonce: '0b54f0c2-7a0e-4a52-9a51-4a6c3a1f0d7e', restored: true }],
    },
  ),
  errors: [],
})
