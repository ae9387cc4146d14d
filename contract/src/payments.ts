import { type Static, Type } from 'typebox'
import {
  agentReference,
  amountIn,
  amountOut,
  EXAMPLE_TIME,
  lineText,
  noteText,
  textOut,
  timestamp,
} from './fields.ts'
import { exampleId, idParam, idSchema } from './ids.ts'
import { listOf, pageQuery } from './lists.ts'
import { contextIn, contextOut, exampleContext } from './payment-context.ts'
import { EXAMPLE_POLICY_VERSION, policyVersionOut } from './policy.ts'
import { route } from './route.ts'
import { nullable, oneOf, request, response } from './schema.ts'

/** The result of a payment (interface section 2). A refused payment is an error, not a status. */
export const PAYMENT_STATUSES = ['completed', 'pending_approval'] as const

export type PaymentStatus = (typeof PAYMENT_STATUSES)[number]

const resultProperties = {
  payment_id: nullable(idSchema('pay', 'The payment; null while it waits for approval.')),
  status: oneOf(
    PAYMENT_STATUSES,
    '`completed`: the money has moved. `pending_approval`: the owner must approve.',
  ),
  from_balance: amountOut('The sender’s balance after amount and fee, INR; unchanged while it waits.'),
  cost: amountOut('The fee, INR: 0.5 % of the amount, at least 1.'),
  approval_id: Type.Optional(idSchema('apr', 'The approval; present only while the payment waits.')),
  receipt_id: Type.Optional(idSchema('rcp', 'The signed receipt; absent while it waits.')),
  transaction_id: Type.Optional(idSchema('txn', 'The sender’s statement line; absent while it waits.')),
  receipt_token: Type.Optional(
    nullable(
      textOut(
        'The receipt’s `token`, if the request had `receipt_token`; null while the payment waits, and if it could not be signed: then get the receipt.',
        'eyJhbGciOiJFZERTQSJ9.e30.AAAA',
      ),
    ),
  ),
  created_at: timestamp('When the payment was made or requested.'),
  policy_version: nullable(
    policyVersionOut(
      'The effective policy that decided it; see the list of policy versions. null if the history of the agent’s policy begins later.',
    ),
  ),
}

const completed = {
  payment_id: exampleId('pay'),
  status: 'completed',
  from_balance: 573,
  cost: 2,
  receipt_id: exampleId('rcp'),
  transaction_id: exampleId('txn'),
  created_at: EXAMPLE_TIME,
  policy_version: EXAMPLE_POLICY_VERSION,
}

const waiting = {
  payment_id: null,
  status: 'pending_approval',
  from_balance: 975,
  cost: 2,
  approval_id: exampleId('apr'),
  created_at: EXAMPLE_TIME,
  policy_version: EXAMPLE_POLICY_VERSION,
}

/** The response of `pay` (interface section 2, contract section 4). Amounts in INR. */
export const PaymentResult = response(resultProperties, {
  title: 'PaymentResult',
  description: 'The result of the payment.',
  examples: [completed, waiting],
})
export type PaymentResult = Static<typeof PaymentResult>

/** A payment that is looked up later: its result, parties and amount (contract section 4). Amounts in INR. */
export const Payment = response(
  {
    ...resultProperties,
    from: idSchema('agt', 'The payer.'),
    to: idSchema('agt', 'The payee.'),
    amount: amountOut('What the payee received, INR.'),
    refunded_total: amountOut('What the payee has refunded of it so far, INR; 0 if nothing.'),
    reference: nullable(textOut('The caller’s reference.', 'invoice-2041')),
    context: contextOut,
    approval_id: Type.Optional(
      idSchema('apr', 'The approval that it waits for, or by which it was made; absent if it needed none.'),
    ),
  },
  {
    title: 'Payment',
    description: 'A payment and its result.',
    examples: [
      {
        ...completed,
        from: exampleId('agt'),
        to: exampleId('agt', 2),
        amount: 400,
        refunded_total: 100,
        reference: 'invoice-2041',
        context: exampleContext,
      },
      {
        ...waiting,
        from: exampleId('agt'),
        to: exampleId('agt', 2),
        amount: 400,
        refunded_total: 0,
        reference: 'invoice-2041',
        context: null,
      },
    ],
  },
)
export type Payment = Static<typeof Payment>

const payerParams = request({ agent_id: idParam('agt', 'The paying agent.') })

export const pay = route({
  operationId: 'pay',
  method: 'POST',
  path: '/v1/agents/{agent_id}/pay',
  tag: 'Payments',
  summary: 'Pay another agent',
  description:
    'Pays another agent at once. The payee receives the full amount; the payer pays it and a fee of 0.5 %, at least 1 INR. The checks, in this order: body, idempotency key, the sender’s state, recipient, payee rules, limits, escrow threshold, balance, approval threshold. Always send an `idempotency_key`, and use the same one when you retry: a used key is `idempotency_error` with the first payment in `details`, where `same_request` says whether it was the same, and money never moves twice. A refused payment does not use its key. Above the approval threshold the response is `pending_approval`: no money has moved or is held. At most 50 requests of an agent wait, holds included; one more is `conflict`. `GET /v1/approvals/{approval_id}` returns the result. Rejection or expiry frees the key.',
  who: ['agent'],
  params: payerParams,
  body: request(
    {
      to: agentReference('The payee: an agent id, or a handle in any case with or without `@`.'),
      amount: amountIn('What the payee receives, INR, at most two decimals.'),
      reference: Type.Optional(
        lineText('Your own reference, stored unchanged; in pay-per-call the nonce.', 'invoice-2041'),
      ),
      note: Type.Optional(noteText('A note, at most 500 characters.', 'Translation of 12 pages')),
      idempotency_key: Type.Optional(
        lineText(
          'One key for each purchase. Send the same key when you retry, and never for another purchase.',
          'order-7f3a',
        ),
      ),
      unique_reference: Type.Optional(
        Type.Boolean({
          description:
            'If true, the payment is `conflict` if you have already paid this payee with this `reference`, or if such a payment waits for approval. Requires `reference`.',
          examples: [true],
        }),
      ),
      receipt_token: Type.Optional(
        Type.Boolean({
          description:
            'If true, the response contains the signed receipt’s `token`. In pay-per-call it is part of the proof, so that the seller can recognise an invented payment without a request.',
          examples: [true],
        }),
      ),
      require_approval: Type.Optional(
        Type.Boolean({
          description:
            'If true, the payment waits for the owner’s approval whatever its amount, and whatever she allowed before. Everything else is checked first.',
          examples: [true],
        }),
      ),
      ...contextIn,
    },
    {
      title: 'PayRequest',
      examples: [
        { to: 'translator', amount: 400, reference: 'invoice-2041', idempotency_key: 'order-7f3a' },
        { to: 'translator', amount: 400, idempotency_key: 'order-7f3b', context: exampleContext },
        {
          to: exampleId('agt', 2),
          amount: 12.5,
          reference: '0b54f0c2-7a0e-4a52-9a51-4a6c3a1f0d7e',
          note: 'One API call',
          idempotency_key: 'call-0b54f0c2',
          unique_reference: true,
        },
      ],
    },
  ),
  status: 200,
  response: PaymentResult,
  errors: [
    'idempotency_error',
    'policy_denied',
    'not_found',
    'authorization_error',
    'spend_limit_exceeded',
    'escrow_required',
    'insufficient_balance',
    'conflict',
  ],
})

export const getPayment = route({
  operationId: 'getPayment',
  method: 'GET',
  path: '/v1/agents/{agent_id}/payments/{payment_id}',
  tag: 'Payments',
  summary: 'Get a payment',
  description: 'A payment of this agent, by its id.',
  who: ['platform', 'agent', 'owner'],
  params: request({ agent_id: idParam('agt', 'The paying agent.'), payment_id: idParam('pay') }),
  status: 200,
  response: Payment,
  errors: ['not_found', 'authorization_error'],
})

export const listPayments = route({
  operationId: 'listPayments',
  method: 'GET',
  path: '/v1/agents/{agent_id}/payments',
  tag: 'Payments',
  summary: 'Find payments',
  description:
    'Payments of this agent, newest first, including those that wait for its owner’s approval: their `payment_id` is null, and they have an `approval_id`. If the response to a payment was lost, find it by `idempotency_key` or `reference`; an empty list means that it was not made.',
  who: ['platform', 'agent', 'owner'],
  params: payerParams,
  query: request({
    idempotency_key: Type.Optional(lineText('Only the payment made with this key.', 'order-7f3a')),
    reference: Type.Optional(lineText('Only payments with this reference.', 'invoice-2041')),
    ...pageQuery,
  }),
  status: 200,
  response: listOf('payments', Payment, { title: 'PaymentList', description: 'A page of payments.' }),
  errors: ['not_found', 'authorization_error'],
})

export const refundPayment = route({
  operationId: 'refundPayment',
  method: 'POST',
  path: '/v1/payments/{payment_id}/refund',
  tag: 'Payments',
  summary: 'Refund a payment',
  description:
    'The payee refunds a payment, without a fee; limits do not apply. Without `amount` everything that is left is refunded. The total is never more than was paid (`conflict`).',
  who: ['agent'],
  params: request({ payment_id: idParam('pay') }),
  body: request(
    {
      amount: Type.Optional(amountIn('The amount to refund, INR; if absent, everything that is left.')),
      idempotency_key: Type.Optional(
        lineText('One key for each refund. Send the same key when you retry.', 'refund-7f3a'),
      ),
    },
    { title: 'RefundRequest', examples: [{ amount: 100, idempotency_key: 'refund-7f3a' }, {}] },
  ),
  status: 200,
  response: response(
    {
      refund_id: idSchema('rfd'),
      payment_id: idSchema('pay', 'The payment that is refunded.'),
      amount: amountOut('The amount of this refund, INR.'),
      refunded_total: amountOut('The total refunded of this payment, INR.'),
      transaction_id: idSchema('txn', 'The refunding agent’s statement line.'),
    },
    {
      title: 'Refund',
      description: 'The refund.',
      examples: [
        {
          refund_id: exampleId('rfd'),
          payment_id: exampleId('pay'),
          amount: 100,
          refunded_total: 100,
          transaction_id: exampleId('txn', 5),
        },
      ],
    },
  ),
  errors: ['not_found', 'idempotency_error', 'conflict', 'policy_denied', 'insufficient_balance'],
})
