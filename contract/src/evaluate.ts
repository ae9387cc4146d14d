import { type Static, Type } from 'typebox'
import { ERROR_STATUS, type ErrorCode } from './codes.ts'
import { agentReference, amountIn, amountOut } from './fields.ts'
import { exampleId, idParam } from './ids.ts'
import { route } from './route.ts'
import { nullable, oneOf, request, response } from './schema.ts'

/** The decisions of the policy engine (interface section 3, Policy decisions). */
export const POLICY_DECISIONS = ['approved', 'denied', 'escrow_required', 'approval_required'] as const

export type PolicyDecision = (typeof POLICY_DECISIONS)[number]

/** The decision about a payment at this moment (contract section 5). Amounts in INR. */
export const PolicyEvaluation = response(
  {
    decision: oneOf(
      POLICY_DECISIONS,
      '`approved`: it would be paid. `denied`: it would be refused. `escrow_required`: use an escrow hold. `approval_required`: it would wait for the owner.',
    ),
    code: nullable(
      oneOf(
        Object.keys(ERROR_STATUS) as ErrorCode[],
        'The error code that `pay` would return; null if it would return none.',
      ),
    ),
    message: Type.String({
      description: 'The decision for people. May change.',
      examples: ['The payment would be made'],
    }),
    details: nullable(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'What a program needs to continue, as in the error’s `details`; null if there is nothing.',
      }),
    ),
    amount: amountOut('The amount, INR.'),
    fee: amountOut('The fee on it, INR.'),
    total: amountOut('What would be debited, INR.'),
  },
  {
    title: 'PolicyEvaluation',
    description: 'The decision about a payment at this moment.',
    examples: [
      {
        decision: 'approved',
        code: null,
        message: 'The payment would be made',
        details: null,
        amount: 400,
        fee: 2,
        total: 402,
      },
      {
        decision: 'approval_required',
        code: null,
        message: 'Payments above 1000.00 INR wait for the owner’s approval by the agent policy',
        details: { rule: 'require_human_approval_above', layer: 'agent', approval_above: 1000 },
        amount: 2000,
        fee: 10,
        total: 2010,
      },
    ],
  },
)
export type PolicyEvaluation = Static<typeof PolicyEvaluation>

export const evaluatePolicy = route({
  operationId: 'evaluatePolicy',
  method: 'POST',
  path: '/v1/agents/{agent_id}/policy/evaluate',
  tag: 'Policies',
  summary: 'Evaluate a payment',
  description:
    'Decides a payment as `pay` would at this moment, including the balance, without making it. The status is 200 for every decision.',
  who: ['platform', 'agent', 'owner'],
  params: request({ agent_id: idParam('agt', 'The paying agent.') }),
  body: request(
    {
      to: agentReference('The payee: an agent id, or a handle in any case with or without `@`.'),
      amount: amountIn('What the payee would receive, INR, at most two decimals.'),
    },
    {
      title: 'EvaluateRequest',
      examples: [
        { to: 'translator', amount: 400 },
        { to: exampleId('agt', 2), amount: 12.5 },
      ],
    },
  ),
  status: 200,
  response: PolicyEvaluation,
  errors: ['not_found', 'authorization_error'],
})
