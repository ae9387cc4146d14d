import { type Static, Type } from 'typebox'
import { ERROR_STATUS, type ErrorCode } from './codes.ts'
import { amountOut, textOut } from './fields.ts'
import { exampleId, idSchema } from './ids.ts'
import { nullable, response } from './schema.ts'

/** Every error code. */
export const ERROR_CODES = Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]]

/** The envelope of every error response. `field` names the invalid input; `details` is for programs. */
export const ErrorEnvelope = response(
  {
    error: response(
      {
        code: Type.Enum(ERROR_CODES, {
          type: 'string',
          description: 'The error code, for programs. Stable.',
        }),
        message: Type.String({ description: 'What went wrong and what to do, for people. May change.' }),
        request_id: Type.String({
          description: 'The same as the header x-request-id. Quote it in support requests.',
        }),
        field: Type.Optional(Type.String({ description: 'The invalid input.' })),
        details: Type.Optional(
          Type.Record(Type.String(), Type.Unknown(), {
            description: 'What a program needs to continue; depends on the code.',
          }),
        ),
      },
      { description: 'The error.' },
    ),
  },
  {
    title: 'Error',
    description: 'Every error has this format.',
    examples: [
      {
        error: {
          code: 'insufficient_balance',
          message:
            'The balance is 150.00 INR, but 402.00 INR is needed: 400.00 and a fee of 2.00. Fund the wallet first.',
          request_id: 'req_4f1c2a9d7b3e',
          details: { balance: 150, required: 402, amount: 400, fee: 2 },
        },
      },
    ],
  },
)
export type ErrorEnvelope = Static<typeof ErrorEnvelope>

/** `error.details` of `insufficient_balance`. All amounts in INR (contract section 1, Errors). */
export const InsufficientBalanceDetails = response(
  {
    balance: amountOut('The balance of the wallet.'),
    required: amountOut('What the payment requires: amount and fee.'),
    amount: amountOut('The amount of the payment.'),
    fee: amountOut('The fee on it.'),
  },
  {
    title: 'InsufficientBalanceDetails',
    description: 'The figures of `insufficient_balance`.',
    examples: [{ balance: 150, required: 402, amount: 400, fee: 2 }],
  },
)
export type InsufficientBalanceDetails = Static<typeof InsufficientBalanceDetails>

/**
 * `error.details` of `idempotency_error`: what the key was used for, so that a client that lost the response recovers,
 * and whether that was the same request. Empty where the header came with another body, or is still in use.
 */
export const IdempotencyDetails = response(
  {
    payment_id: Type.Optional(nullable(idSchema('pay', 'The payment; null while it waits for approval.'))),
    refund_id: Type.Optional(idSchema('rfd')),
    escrow_id: Type.Optional(nullable(idSchema('esc', 'The hold; null while it waits for approval.'))),
    authorization_id: Type.Optional(
      nullable(idSchema('ath', 'The authorization; null while it waits for approval.')),
    ),
    transaction_id: Type.Optional(idSchema('txn', 'The withdrawal or the allocation.')),
    approval_id: Type.Optional(idSchema('apr', 'The approval that the first request waits for.')),
    status: Type.Optional(textOut('The status of what the key was used for.', 'completed')),
    agent_id: Type.Optional(idSchema('agt', 'The agent that an allocation was for.')),
    amount: Type.Optional(amountOut('The amount of an allocation, INR.')),
    same_request: Type.Optional(
      Type.Boolean({
        description:
          'Whether the key was used for this very request: the same operation, agents, amount, reference, note and terms.',
      }),
    ),
  },
  {
    title: 'IdempotencyDetails',
    description: 'What the key was used for.',
    examples: [{ payment_id: exampleId('pay'), status: 'completed', same_request: true }],
  },
)
export type IdempotencyDetails = Static<typeof IdempotencyDetails>
