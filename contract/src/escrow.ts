import { type Static, Type } from 'typebox'
import { agentReference, amountIn, amountOut, EXAMPLE_TIME, lineText, textOut, timestamp } from './fields.ts'
import { exampleId, idParam, idSchema } from './ids.ts'
import { listOf, pageQuery } from './lists.ts'
import { contextIn } from './payment-context.ts'
import { EXAMPLE_POLICY_VERSION, policyVersionOut } from './policy.ts'
import { route } from './route.ts'
import { nullable, oneOf, request, response } from './schema.ts'

/** Escrow statuses (interface section 3); the last two are final. */
export const ESCROW_STATUSES = ['held', 'released', 'refunded'] as const

export type EscrowStatus = (typeof ESCROW_STATUSES)[number]

/** What a timeout does (interface section 4, Escrow). */
export const ESCROW_AUTO_ACTIONS = ['refund', 'release'] as const

export type EscrowAutoAction = (typeof ESCROW_AUTO_ACTIONS)[number]

/** The longest timeout, in hours: a year (contract section 6). */
export const MAX_ESCROW_TIMEOUT_HOURS = 8760

const recordProperties = {
  agent_id: idSchema('agt', 'The agent whose money is held.'),
  to_agent_id: nullable(idSchema('agt', 'The recipient; the attestor if no recipient was named.')),
  attestor_agent_id: nullable(idSchema('agt', 'The agent that may attest; null if there is none.')),
  amount: amountOut('The held amount, INR. There is no fee.'),
  reference: nullable(textOut('The caller’s reference.', 'order-77')),
  auto_action: nullable(oneOf(ESCROW_AUTO_ACTIONS, 'What happens at `expires_at`; null without a timeout.')),
  expires_at: nullable(timestamp('When the timeout is due; null without one.')),
  created_at: timestamp('When the money was held.'),
  resolved_at: nullable(timestamp('When it was released or refunded; null while it is held.')),
  transaction_id: idSchema('txn', 'The line of the payer’s statement.'),
  policy_version: nullable(
    policyVersionOut(
      'The effective policy that decided the hold. null if the history of the agent’s policy begins later.',
    ),
  ),
}

const held = {
  escrow_id: exampleId('esc'),
  agent_id: exampleId('agt'),
  to_agent_id: exampleId('agt', 2),
  attestor_agent_id: null,
  amount: 400,
  reference: 'order-77',
  status: 'held',
  auto_action: null,
  expires_at: null,
  created_at: EXAMPLE_TIME,
  resolved_at: null,
  transaction_id: exampleId('txn'),
  policy_version: EXAMPLE_POLICY_VERSION,
}

const timed = { ...held, auto_action: 'refund', expires_at: '2026-11-21T10:15:30.000Z' }

/** Money in escrow (interface section 2, contract section 6). Amounts in INR. */
export const Escrow = response(
  { escrow_id: idSchema('esc'), ...recordProperties, status: oneOf(ESCROW_STATUSES, 'The status.') },
  { title: 'Escrow', description: 'Money that is held until its release or refund.', examples: [timed] },
)
export type Escrow = Static<typeof Escrow>

/** The response to a hold that was made: 201. */
export const EscrowHeld = response(Escrow.properties, {
  title: 'EscrowHeld',
  description: 'The new escrow.',
  examples: [held, timed, { ...held, attestor_agent_id: exampleId('agt', 3) }],
})

/** The response to a hold that waits for the owner's approval: 200, because nothing was created (contract section 5). */
export const EscrowWaiting = response(
  {
    ...recordProperties,
    amount: amountOut('The amount to hold, INR. There is no fee.'),
    created_at: timestamp('When the approval was requested.'),
    escrow_id: Type.Null({ description: 'Nothing is held yet.' }),
    expires_at: Type.Null({ description: 'The timeout runs from the approval.' }),
    resolved_at: Type.Null({ description: 'It is not released.' }),
    transaction_id: Type.Null({ description: 'There is no statement line yet.' }),
    status: Type.Literal('pending_approval', { description: 'The owner has to approve it.' }),
    approval_id: idSchema('apr', 'The approval that it waits for.'),
  },
  {
    title: 'EscrowWaiting',
    description: 'Nothing is held yet: the owner has to approve.',
    examples: [
      {
        ...held,
        ...{ escrow_id: null, amount: 40000, status: 'pending_approval', transaction_id: null },
        approval_id: exampleId('apr'),
      },
    ],
  },
)
export type EscrowWaiting = Static<typeof EscrowWaiting>

/** The response to a hold: the escrow, or the approval that it waits for, distinguished by `status`. */
export type EscrowHold = Escrow | EscrowWaiting

const holdProperties = {
  amount: amountIn('The amount to hold, INR.'),
  reference: Type.Optional(lineText('Your reference.', 'order-77')),
  to_agent_id: Type.Optional(
    agentReference(
      'The recipient: an agent id or a handle. The money can then be released to no other agent.',
    ),
  ),
  ...contextIn,
}

const agentParams = request({ agent_id: idParam('agt', 'The agent whose money is held.') })
const escrowParams = request({ escrow_id: idParam('esc') })
const holdErrors = [
  'not_found',
  'authorization_error',
  'validation_error',
  'idempotency_error',
  'conflict',
  'policy_denied',
  'spend_limit_exceeded',
  'insufficient_balance',
] as const
const limits =
  'Limits, payee lists and the approval threshold apply as for a payment; the escrow threshold does not. Payee rules apply where the payee is named: here, or at the release. There is no fee. Above the approval threshold the response is 200 `pending_approval` with `escrow_id` null, and nothing is held yet. At most 50 requests of an agent wait, payments included; one more is `conflict`. Always send an `Idempotency-Key` header, so that you can repeat the request if its response is lost.'

export const holdEscrow = route({
  operationId: 'holdEscrow',
  method: 'POST',
  path: '/v1/agents/{agent_id}/escrow/hold',
  tag: 'Escrow',
  summary: 'Hold money',
  description: `Debits the agent at once and holds the money until you release or refund it. ${limits}`,
  who: ['platform', 'agent'],
  params: agentParams,
  body: request(holdProperties, {
    title: 'HoldEscrowRequest',
    examples: [
      { amount: 400, reference: 'order-77' },
      { amount: 400, to_agent_id: 'translator' },
    ],
  }),
  status: 201,
  response: EscrowHeld,
  waiting: EscrowWaiting,
  errors: holdErrors,
})

export const holdEscrowWithTimeout = route({
  operationId: 'holdEscrowWithTimeout',
  method: 'POST',
  path: '/v1/agents/{agent_id}/escrow/hold-with-timeout',
  tag: 'Escrow',
  summary: 'Hold money with a timeout',
  description: `Like a hold. If it is neither released nor refunded within \`timeout_hours\`, it is refunded, or released to the agent named here; without a named agent it is refunded. While the payer or that agent is stopped, a release waits and is retried at least every minute. The timeout starts when the money is held. ${limits}`,
  who: ['platform', 'agent'],
  params: agentParams,
  body: request(
    {
      ...holdProperties,
      timeout_hours: Type.Number({
        exclusiveMinimum: 0,
        maximum: MAX_ESCROW_TIMEOUT_HOURS,
        description: 'The timeout in hours: more than 0, at most 8760.',
        examples: [24],
      }),
      auto_action: Type.Optional(
        oneOf(ESCROW_AUTO_ACTIONS, 'What happens at the timeout.', { default: 'refund' }),
      ),
    },
    {
      title: 'HoldEscrowWithTimeoutRequest',
      examples: [
        { amount: 400, timeout_hours: 24 },
        { amount: 400, timeout_hours: 0.5, auto_action: 'release', to_agent_id: 'translator' },
      ],
    },
  ),
  status: 201,
  response: EscrowHeld,
  waiting: EscrowWaiting,
  errors: holdErrors,
})

export const holdEscrowWithAttestation = route({
  operationId: 'holdEscrowWithAttestation',
  method: 'POST',
  path: '/v1/agents/{agent_id}/escrow/hold-with-attestation',
  tag: 'Escrow',
  summary: 'Hold money until an attestation',
  description: `Like a hold. The attestor releases it with its own key, to the agent named here or, if none is named, to itself. You can still release or refund it. ${limits}`,
  who: ['platform', 'agent'],
  params: agentParams,
  body: request(
    {
      ...holdProperties,
      attestor_agent_id: agentReference('The attestor: an agent id or a handle, not the payer.'),
    },
    {
      title: 'HoldEscrowWithAttestationRequest',
      examples: [{ amount: 400, attestor_agent_id: 'inspector', to_agent_id: 'translator' }],
    },
  ),
  status: 201,
  response: EscrowHeld,
  waiting: EscrowWaiting,
  errors: holdErrors,
})

const ended = { title: 'EscrowResolved', description: 'The closed escrow.' }
const released = { ...held, status: 'released', resolved_at: '2026-11-20T11:02:00.000Z' }
const resolved = response(Escrow.properties, { ...ended, examples: [released] })

export const releaseEscrow = route({
  operationId: 'releaseEscrow',
  method: 'POST',
  path: '/v1/escrow/{escrow_id}/release',
  tag: 'Escrow',
  summary: 'Release',
  description:
    'Credits the agent named here, or else the recipient that the hold named. If the hold named none, it must be named here. A release to another agent than the recipient named at the hold is `conflict`, and so is a closed escrow, with its status in `details.status`. A recipient that is paused, frozen or deactivated is `validation_error`. Money of a frozen or quarantined payer is not released (`policy_denied`). If the hold named no recipient, the payer’s payee lists and limits on payees are checked now; after `authorization_error` or `spend_limit_exceeded` the money stays in escrow.',
  who: ['platform'],
  params: escrowParams,
  body: request(
    {
      to_agent_id: Type.Optional(
        agentReference('The recipient: an agent id or a handle. Optional if the hold named the recipient.'),
      ),
    },
    { title: 'ReleaseEscrowRequest', examples: [{ to_agent_id: exampleId('agt', 2) }, {}] },
  ),
  status: 200,
  response: resolved,
  errors: [
    'not_found',
    'authorization_error',
    'validation_error',
    'policy_denied',
    'spend_limit_exceeded',
    'conflict',
  ],
})

export const refundEscrow = route({
  operationId: 'refundEscrow',
  method: 'POST',
  path: '/v1/escrow/{escrow_id}/refund',
  tag: 'Escrow',
  summary: 'Refund',
  description:
    'Returns the money to the payer, in any state, and no longer counts it against the payer’s limits. A closed escrow is `conflict`.',
  who: ['platform'],
  params: escrowParams,
  status: 200,
  response: response(Escrow.properties, {
    title: 'EscrowRefunded',
    description: 'The closed escrow.',
    examples: [{ ...released, status: 'refunded' }],
  }),
  errors: ['not_found', 'authorization_error', 'conflict'],
})

export const attestEscrow = route({
  operationId: 'attestEscrow',
  method: 'POST',
  path: '/v1/escrow/{escrow_id}/attest',
  tag: 'Escrow',
  summary: 'Attest',
  description:
    'With the key of the attestor that the hold named: releases the money to the recipient, or to the attestor if no recipient was named. Any other caller is `authorization_error`. A stopped attestor, or a frozen or quarantined payer, is `policy_denied`. A recipient that cannot receive is `validation_error`.',
  who: ['agent'],
  params: escrowParams,
  status: 200,
  response: resolved,
  errors: ['not_found', 'authorization_error', 'validation_error', 'policy_denied', 'conflict'],
})

export const listEscrows = route({
  operationId: 'listEscrows',
  method: 'GET',
  path: '/v1/escrow',
  tag: 'Escrow',
  summary: 'List escrows',
  description: 'The escrows of your agents’ money, newest first.',
  who: ['platform'],
  query: request({
    status: Type.Optional(oneOf(ESCROW_STATUSES, 'Only escrows with this status.')),
    agent_id: Type.Optional(idSchema('agt', 'Only escrows of this agent’s money.')),
    ...pageQuery,
  }),
  status: 200,
  response: listOf('escrows', Escrow, { title: 'EscrowList', description: 'A page of escrows.' }),
  errors: ['authorization_error'],
})

export const getEscrow = route({
  operationId: 'getEscrow',
  method: 'GET',
  path: '/v1/escrow/{escrow_id}',
  tag: 'Escrow',
  summary: 'Get an escrow',
  description:
    'For the payer, the recipient and the attestor, their platforms and owners; `not_found` for other callers.',
  who: ['platform', 'agent', 'owner'],
  params: escrowParams,
  status: 200,
  response: Escrow,
  errors: ['not_found'],
})
