import { type Static, Type } from 'typebox'
import { Allow, Allowance } from './allowances.ts'
import { AuthorizationCreated } from './authorization-records.ts'
import { ESCROW_AUTO_ACTIONS, EscrowHeld } from './escrow.ts'
import { amountOut, EXAMPLE_TIME, noteText, textOut, timestamp } from './fields.ts'
import { exampleId, idParam, idSchema } from './ids.ts'
import { listOf, pageQuery } from './lists.ts'
import { contextOut, exampleContext } from './payment-context.ts'
import { PaymentResult } from './payments.ts'
import { EXAMPLE_POLICY_VERSION, LIMIT_LAYERS, policyVersionOut } from './policy.ts'
import { POLICY_CONTROLS } from './policy-controls.ts'
import { route } from './route.ts'
import { nullable, oneOf, request, response } from './schema.ts'
import { Evidence, StepUpChallenge, signedChallenge } from './webauthn.ts'

/** The kinds of approvals (contract section 5). */
export const APPROVAL_KINDS = ['payment', 'escrow_hold', 'authorization'] as const

export type ApprovalKind = (typeof APPROVAL_KINDS)[number]

/** Why an approval is needed: by a control, or because the agent asked for it (`require_approval` of a payment). */
export const APPROVAL_RULES = ['require_human_approval_above', 'require_approval'] as const

export type ApprovalRule = (typeof APPROVAL_RULES)[number]

/** Approval statuses (interface section 3); the last three are final. */
export const APPROVAL_STATUSES = ['pending_approval', 'approved', 'rejected', 'expired'] as const

export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number]

const HeadroomAfter = response({
  rule: oneOf([...POLICY_CONTROLS, 'budget_limit'], 'The control, or an organization’s budget.'),
  layer: oneOf(LIMIT_LAYERS, 'The layer that sets it; `app`: the cap of the connected app that asked.'),
  limit: amountOut('The limit: INR, or a number of payees.'),
  remaining: nullable(
    amountOut(
      'What remains of it then: INR, or a number of payees. Negative: the limit refuses the approval now. Null: it depends on a payee, and none is named.',
    ),
  ),
})

const properties = {
  approval_id: idSchema('apr'),
  agent_id: idSchema('agt', 'The agent that requested it.'),
  agent_name: textOut('The agent’s name.', 'Research Agent'),
  kind: oneOf(APPROVAL_KINDS, 'What the owner approves.'),
  to: nullable(idSchema('agt', 'The agent that would be paid; null for a hold that names none.')),
  to_name: nullable(textOut('The payee’s name.', 'Translator')),
  amount: amountOut('The amount, INR, without the fee.'),
  fee: amountOut('The fee that would be due, INR; 0 for a hold.'),
  reference: nullable(textOut('The caller’s reference.', 'invoice-2041')),
  note: nullable(textOut('The caller’s note.', 'Translation of 12 pages')),
  timeout_hours: nullable(
    Type.Number({
      description: 'For a hold: its timeout in hours; null without one.',
      examples: [24],
    }),
  ),
  auto_action: nullable(
    oneOf(ESCROW_AUTO_ACTIONS, 'For a hold: what happens at its timeout; null without one.'),
  ),
  attestor_agent_id: nullable(
    idSchema('agt', 'For a hold: the agent that may attest; null if there is none.'),
  ),
  expires_in: nullable(
    Type.Integer({
      description:
        'For an authorization: for how long it is open from the approval on, in seconds; else null.',
      examples: [3600],
    }),
  ),
  context: contextOut,
  app: nullable(
    response(
      {
        app_id: idSchema('app'),
        name: textOut('Its name.', 'Claude'),
      },
      { description: 'The connected app that asked; null: none did.' },
    ),
  ),
  first_payment_to_payee: nullable(
    Type.Boolean({
      description:
        'Whether the agent has never paid this payee; null once it is decided, and for a hold that names none.',
    }),
  ),
  paid_to_payee_before: nullable(
    amountOut(
      'What the agent has paid this payee so far, INR: payments and released holds, without fees; refunds are not deducted. Null once it is decided, and for a hold that names none.',
    ),
  ),
  headroom_after: nullable(
    Type.Array(HeadroomAfter, {
      description:
        'What would remain of each limit if it were approved now, of the general layers first; null once it is decided.',
    }),
  ),
  rule: oneOf(
    APPROVAL_RULES,
    'The control that requires the approval; `require_approval`: the agent asked for it.',
  ),
  policy_version: nullable(
    policyVersionOut('The effective policy at the request. null of an approval of an earlier release.'),
  ),
  status: oneOf(APPROVAL_STATUSES, '`pending_approval` until the owner decides or 24 hours have passed.'),
  created_at: timestamp('When the agent requested it.'),
  expires_at: timestamp('When it expires if it is not decided before.'),
  decided_at: nullable(timestamp('When it was approved or rejected, or expired; null while it waits.')),
  payment_id: nullable(idSchema('pay', 'The payment made on approval; null before that, and for others.')),
  escrow_id: nullable(idSchema('esc', 'The escrow made on approval; null before that, and for others.')),
  authorization_id: nullable(
    idSchema('ath', 'The authorization made on approval; null before that, and for others.'),
  ),
  rejection_reason: nullable(
    textOut('Why the owner rejected it, in the owner’s words; null if she gave no reason.', 'Too expensive'),
  ),
  evidence: nullable(Evidence),
}

const waiting = {
  approval_id: exampleId('apr'),
  agent_id: exampleId('agt'),
  agent_name: 'Research Agent',
  kind: 'payment',
  to: exampleId('agt', 2),
  to_name: 'Translator',
  amount: 400,
  fee: 2,
  reference: 'invoice-2041',
  note: 'Translation of 12 pages',
  timeout_hours: null,
  auto_action: null,
  attestor_agent_id: null,
  expires_in: null,
  context: exampleContext,
  app: null,
  first_payment_to_payee: false,
  paid_to_payee_before: 1250,
  headroom_after: [{ rule: 'spend_limit_daily', layer: 'agent', limit: 5000, remaining: 3350 }],
  rule: 'require_human_approval_above',
  policy_version: EXAMPLE_POLICY_VERSION,
  status: 'pending_approval',
  created_at: EXAMPLE_TIME,
  expires_at: '2026-11-21T10:15:30.000Z',
  decided_at: null,
  payment_id: null,
  escrow_id: null,
  authorization_id: null,
  rejection_reason: null,
  evidence: null,
}

const decided = {
  ...waiting,
  ...{ first_payment_to_payee: null, paid_to_payee_before: null, headroom_after: null },
  decided_at: '2026-11-20T11:02:00.000Z',
}

/** A payment, hold or authorization that waits, or waited, for its owner (contract section 5). Amounts in INR. */
export const Approval = response(properties, {
  title: 'Approval',
  description:
    'A payment, hold or authorization above the approval threshold. No funds are held while it waits.',
  examples: [waiting],
})
export type Approval = Static<typeof Approval>

const params = request({ approval_id: idParam('apr') })

export const listApprovals = route({
  operationId: 'listApprovals',
  method: 'GET',
  path: '/v1/approvals',
  tag: 'Approvals',
  summary: 'List approvals',
  description:
    'The approvals that the owner’s agents requested, or all agents of your platform, newest first. By default those that still wait.',
  who: ['owner', 'platform'],
  query: request({
    status: Type.Optional(
      oneOf(APPROVAL_STATUSES, 'Only approvals with this status.', { default: 'pending_approval' }),
    ),
    agent_id: Type.Optional(idSchema('agt', 'Only approvals of this agent.')),
    ...pageQuery,
  }),
  status: 200,
  response: listOf('approvals', Approval, { title: 'ApprovalList', description: 'A page of approvals.' }),
  errors: [],
})

export const getApproval = route({
  operationId: 'getApproval',
  method: 'GET',
  path: '/v1/approvals/{approval_id}',
  tag: 'Approvals',
  summary: 'Get an approval',
  description:
    'The status of an approval. An agent whose payment is `pending_approval` finds its result here: once approved, `payment_id`, `escrow_id` or `authorization_id` is set.',
  who: ['owner', 'agent', 'platform'],
  params,
  status: 200,
  response: Approval,
  errors: ['not_found'],
})

export const approve = route({
  operationId: 'approve',
  method: 'POST',
  path: '/v1/approvals/{approval_id}/approve',
  tag: 'Approvals',
  summary: 'Approve',
  description:
    'Checks the payment again, except for the approval threshold, and makes it in the same step. If it is refused, the response is that error, and the approval continues to wait and can be approved later. An approval that was decided or has expired is `conflict`, with its `status` in `details`. With `allow`, the agent may pay this payee more without asking; an `allow` that is refused leaves the approval pending. An owner with a passkey also sends `challenge_id` and `response`, for a challenge with the same `allow`; without them the response is `passkey_required`.',
  who: ['owner'],
  params,
  body: request(
    {
      allow: Type.Optional(Allow),
      challenge_id: Type.Optional(signedChallenge.challenge_id),
      response: Type.Optional(signedChallenge.response),
    },
    { title: 'ApproveRequest', examples: [{ allow: { amount: 500, until: '2026-11-21T18:30:00.000Z' } }] },
  ),
  status: 200,
  response: response(
    {
      ...properties,
      payment: Type.Optional(PaymentResult),
      escrow: Type.Optional(EscrowHeld),
      authorization: Type.Optional(AuthorizationCreated),
      allowance: Type.Optional(Allowance),
    },
    {
      title: 'ApprovalApproved',
      description: 'The approval, with what was made.',
      examples: [
        {
          ...decided,
          status: 'approved',
          payment_id: exampleId('pay'),
          payment: {
            payment_id: exampleId('pay'),
            status: 'completed',
            from_balance: 573,
            cost: 2,
            receipt_id: exampleId('rcp'),
            transaction_id: exampleId('txn'),
            policy_version: EXAMPLE_POLICY_VERSION,
            created_at: decided.decided_at,
          },
        },
      ],
    },
  ),
  errors: [
    'passkey_required',
    'not_found',
    'conflict',
    'idempotency_error',
    'validation_error',
    'policy_denied',
    'authorization_error',
    'spend_limit_exceeded',
    'escrow_required',
    'insufficient_balance',
  ],
})

export const challengeApproval = route({
  operationId: 'challengeApproval',
  method: 'POST',
  path: '/v1/approvals/{approval_id}/challenge',
  tag: 'Approvals',
  summary: 'Ask for a challenge for an approval',
  description:
    'The challenge that a passkey of the owner signs to approve, with the allowance that she gives beside it. The document has `approval_id`, `agent_id`, `kind`, `to`, `amount`, `fee`, `currency`, `reference`, `context_sha256` (of the canonical JSON of the context), `expires_at` and `allow`, each null where there is none. An approval that was decided or has expired is `conflict`, and so is an owner without a passkey.',
  who: ['owner'],
  params,
  body: request(
    { allow: Type.Optional(Allow) },
    {
      title: 'ChallengeApprovalRequest',
      examples: [{ allow: { amount: 500, until: '2026-11-21T18:30:00.000Z' } }],
    },
  ),
  status: 200,
  response: StepUpChallenge,
  errors: ['not_found', 'conflict'],
})

export const reject = route({
  operationId: 'reject',
  method: 'POST',
  path: '/v1/approvals/{approval_id}/reject',
  tag: 'Approvals',
  summary: 'Reject',
  description:
    'Nothing is paid, and the idempotency key can be used again. An approval that was decided or has expired is `conflict`, with its `status` in `details`.',
  who: ['owner'],
  params,
  body: request(
    {
      reason: Type.Optional(
        noteText('Why, at most 280 characters. The agent reads it.', 'Too expensive', 280),
      ),
    },
    { title: 'RejectRequest', examples: [{ reason: 'Too expensive' }] },
  ),
  status: 200,
  response: response(properties, {
    title: 'ApprovalRejected',
    description: 'The approval.',
    examples: [{ ...decided, status: 'rejected', rejection_reason: 'Too expensive' }],
  }),
  errors: ['not_found', 'conflict'],
})
