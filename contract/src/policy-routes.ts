import { type Static, Type } from 'typebox'
import { AGENT_STATUSES, UpdatedAgent } from './agents.ts'
import { agentReference, amountOut, EXAMPLE_TIME, momentIn, timestamp } from './fields.ts'
import { exampleId, idParam, idSchema } from './ids.ts'
import { TIERS } from './owners.ts'
import {
  EXAMPLE_POLICY_VERSION,
  examplePolicy,
  LIMIT_LAYERS,
  PendingPolicy,
  POLICY_LAYERS,
  Policy,
  policyControlsIn,
  policyVersionOut,
  policyWarnings,
} from './policy.ts'
import { LIMIT_CONTROLS, POLICY_WINDOWS, THRESHOLD_CONTROLS } from './policy-controls.ts'
import { NamedAgent } from './policy-history.ts'
import { route } from './route.ts'
import { describe, exampleOf, nullable, oneOf, request, response } from './schema.ts'

/** A limit of any layer: a control, or the budget of an organization. */
export const LIMIT_RULES = [...LIMIT_CONTROLS, 'budget_limit'] as const

/** One limit of one layer with what is left of it (contract section 5). Amounts in INR, recipients as a count. */
export const PolicyHeadroom = response(
  {
    rule: oneOf(LIMIT_RULES, 'The control.'),
    layer: oneOf(LIMIT_LAYERS, 'The layer that sets it; `app`: the cap of the connected app that asks.'),
    window: oneOf(
      POLICY_WINDOWS,
      'The window: one payment, the last hour or 24 hours, a calendar day or month in IST.',
    ),
    limit: amountOut('The limit: INR, or a number of recipients.'),
    used: nullable(
      amountOut(
        'How much of it is used; null for a counterparty limit if the request has no `to`, and at a past moment.',
      ),
    ),
    remaining: nullable(amountOut('What is left of it; null where `used` is.')),
    resets_at: nullable(
      timestamp(
        'When nothing of it is used any more if nothing more is spent; null if nothing is used or the limit never resets.',
      ),
    ),
  },
  {
    title: 'PolicyHeadroom',
    description: 'A limit and what is left of it.',
    examples: [
      {
        rule: 'spend_limit_daily',
        layer: 'agent',
        window: 'ist_day',
        limit: 5000,
        used: 1200,
        remaining: 3800,
        resets_at: '2026-11-20T18:30:00.000Z',
      },
    ],
  },
)
export type PolicyHeadroom = Static<typeof PolicyHeadroom>

const thresholdExample = { rule: 'require_escrow_above', layer: 'tier', above: 2500 }

/** Everything that decides about an agent's next payment (contract section 5). */
export const EffectivePolicy = response(
  {
    agent_id: idSchema('agt'),
    status: oneOf(AGENT_STATUSES, 'Only an active agent can pay.'),
    tier: oneOf(TIERS, 'The trust tier of the tier layer.'),
    limits: Type.Array(PolicyHeadroom, {
      description: 'Every limit of every layer, the general layers first.',
    }),
    thresholds: Type.Array(
      response(
        {
          rule: oneOf(THRESHOLD_CONTROLS, 'What a greater amount requires.'),
          layer: oneOf(POLICY_LAYERS, 'The layer that sets it.'),
          above: amountOut('The greatest amount that passes without it, INR.'),
        },
        { title: 'PolicyThreshold', description: 'An amount above which escrow or approval is required.' },
      ),
      { description: 'The amounts above which escrow or the owner’s approval is required.' },
    ),
    allowed_payees: Type.Array(Type.String(), {
      description: '`["network"]`, or the agents that every layer allows.',
    }),
    blocked_payee_agents: Type.Array(Type.String(), { description: 'The agents that any layer blocks.' }),
    max_amount_now: nullable(
      amountOut(
        'The greatest amount that every limit and the escrow threshold allow now, regardless of the balance; 0 while the agent is stopped. null without a limit, and at a past moment.',
      ),
    ),
    pending_policy: describe(
      PendingPolicy,
      'Increases of the agent’s own policy that wait for the cooldown.',
    ),
    owner_pending_policy: describe(
      PendingPolicy,
      'Increases of the owner’s policy that wait for the cooldown.',
    ),
    policy_version: policyVersionOut('The name of this effective policy. The same policy has the same name.'),
    as_of: timestamp('The time of these figures, or the past moment that `at` names.'),
  },
  {
    title: 'EffectivePolicy',
    description: 'All layers together, and what is left of each limit.',
    examples: [
      {
        agent_id: exampleId('agt'),
        status: 'active',
        tier: 'tier1',
        limits: [
          {
            rule: 'spend_limit_daily',
            layer: 'agent',
            window: 'ist_day',
            limit: 5000,
            used: 1200,
            remaining: 3800,
            resets_at: '2026-11-20T18:30:00.000Z',
          },
        ],
        thresholds: [thresholdExample],
        allowed_payees: ['network'],
        blocked_payee_agents: [],
        max_amount_now: 2500,
        pending_policy: {},
        owner_pending_policy: {},
        policy_version: EXAMPLE_POLICY_VERSION,
        as_of: EXAMPLE_TIME,
      },
    ],
  },
)
export type EffectivePolicy = Static<typeof EffectivePolicy>

export const getAgentPolicy = route({
  operationId: 'getAgentPolicy',
  method: 'GET',
  path: '/v1/agents/{agent_id}/policy',
  tag: 'Policies',
  summary: 'Get an agent’s limits and what is left of them',
  description:
    'Every limit of every layer (tier, owner, organization, agent) with what is used, what remains and when it resets. With `to`, the limits on that counterparty too. With `at`, the policy that was in force at a past moment, without what was used of it.',
  who: ['platform', 'agent', 'owner'],
  params: request({ agent_id: idParam('agt') }),
  query: request({
    to: Type.Optional(agentReference('A counterparty, by agent id or handle, to see its limits too.')),
    at: Type.Optional(
      momentIn('A moment from the creation of the agent until now. Not with `to`.', EXAMPLE_TIME),
    ),
  }),
  status: 200,
  response: EffectivePolicy,
  errors: ['not_found', 'authorization_error'],
})

const control = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'The control whose pending change is cancelled.',
  examples: ['spend_limit_daily'],
})

export const listNamedPayees = route({
  operationId: 'listNamedPayees',
  method: 'GET',
  path: '/v1/agents/{agent_id}/payees',
  tag: 'Policies',
  summary: 'List the agents that the payee lists name',
  description:
    'The name and state of every agent that `allowed_payees` or `blocked_payee_agents` of this agent name, pending changes included, in the order of their ids. An id of no agent is left out.',
  who: ['platform', 'agent', 'owner'],
  params: request({ agent_id: idParam('agt') }),
  status: 200,
  response: response(
    { payees: Type.Array(NamedAgent, { description: 'The agents.' }) },
    {
      title: 'NamedPayees',
      description: 'The agents that payee lists name.',
      examples: [
        {
          payees: [exampleOf(NamedAgent)],
        },
      ],
    },
  ),
  errors: ['not_found', 'authorization_error'],
})

export const cancelPendingPolicy = route({
  operationId: 'cancelPendingPolicy',
  method: 'DELETE',
  path: '/v1/agents/{agent_id}/pending-policy/{control}',
  tag: 'Policies',
  summary: 'Cancel a pending change of an agent’s policy',
  description:
    'Cancels a change that waits for the cooldown; the control is not changed. `warnings` reports if the payee list that stays leaves the agent no payee.',
  who: ['platform', 'owner'],
  params: request({ agent_id: idParam('agt'), control }),
  status: 200,
  response: UpdatedAgent,
  errors: ['not_found', 'authorization_error', 'conflict'],
})

const ownerPolicyExample = { owner_id: exampleId('own'), policy: examplePolicy, pending_policy: {} }

const ownerPolicyProperties = { owner_id: idSchema('own'), policy: Policy, pending_policy: PendingPolicy }

/** The owner's policy for all of the owner's agents (contract section 5). Every limit applies to each agent separately. */
export const OwnerPolicy = response(ownerPolicyProperties, {
  title: 'OwnerPolicy',
  description: 'The owner’s limits. They apply to each of the owner’s agents separately.',
  examples: [ownerPolicyExample],
})
export type OwnerPolicy = Static<typeof OwnerPolicy>

const UpdatedOwnerPolicy = response(
  { ...ownerPolicyProperties, ...policyWarnings },
  {
    title: 'UpdatedOwnerPolicy',
    description: 'The owner’s limits after the change.',
    examples: [ownerPolicyExample],
  },
)

const ownerQuery = request({
  owner_id: Type.Optional(idSchema('own', 'The owner; required if the session covers several owners.')),
})

export const getOwnerPolicy = route({
  operationId: 'getOwnerPolicy',
  method: 'GET',
  path: '/api/web/policy',
  tag: 'Owner session',
  summary: 'Get the owner’s policy',
  description: 'The owner’s layer of the spend policy. It limits each of the owner’s agents separately.',
  who: ['owner'],
  query: ownerQuery,
  status: 200,
  response: OwnerPolicy,
  errors: ['not_found'],
})

export const updateOwnerPolicy = route({
  operationId: 'updateOwnerPolicy',
  method: 'PATCH',
  path: '/api/web/policy',
  tag: 'Owner session',
  summary: 'Change the owner’s policy',
  description:
    'Changes the controls in the request and no others. A change that tightens the policy applies at once to every agent of the owner; a change that loosens it waits for the cooldown. `warnings` reports if a changed payee list leaves an agent no payee. While the owner is frozen, a change that loosens the policy is `conflict`.',
  who: ['owner'],
  stepUp: true,
  query: ownerQuery,
  body: request(
    {
      owner_id: Type.Optional(
        idSchema('own', 'The owner, instead of in the query; if both are given, they must be equal.'),
      ),
      ...policyControlsIn,
    },
    {
      title: 'UpdateOwnerPolicyRequest',
      examples: [
        { spend_limit_daily: 2000 },
        { owner_id: exampleId('own'), require_human_approval_above: 500 },
      ],
    },
  ),
  status: 200,
  response: UpdatedOwnerPolicy,
  errors: ['not_found', 'conflict'],
})

export const cancelOwnerPendingPolicy = route({
  operationId: 'cancelOwnerPendingPolicy',
  method: 'DELETE',
  path: '/api/web/policy/pending/{control}',
  tag: 'Owner session',
  summary: 'Cancel a pending change of the owner’s policy',
  description:
    'Cancels a change that waits for the cooldown; the control is not changed. `warnings` reports if the payee list that stays leaves an agent no payee.',
  who: ['owner'],
  params: request({ control }),
  query: ownerQuery,
  status: 200,
  response: UpdatedOwnerPolicy,
  errors: ['not_found'],
})
