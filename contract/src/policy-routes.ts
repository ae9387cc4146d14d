import { type Static, Type } from 'typebox'
import { AGENT_STATUSES, UpdatedAgent } from './agents.ts'
import { agentReference, amountOut, EXAMPLE_TIME, timestamp } from './fields.ts'
import { exampleId, idParam, idSchema } from './ids.ts'
import { TIERS } from './owners.ts'
import {
  examplePolicy,
  PendingPolicy,
  POLICY_LAYERS,
  Policy,
  policyControlsIn,
  policyWarnings,
} from './policy.ts'
import { route } from './route.ts'
import { answer, describe, nullable, oneOf, request } from './schema.ts'

const LIMIT_RULES = [
  'spend_limit_per_tx',
  'spend_limit_hourly',
  'spend_limit_daily',
  'spend_limit_monthly',
  'per_counterparty_daily_limit',
  'max_counterparties_per_hour',
  'budget_limit',
] as const

/** What a limit measures. A tier's day is the last 24 hours, every other day one of the calendar (contract section 5). */
export const POLICY_WINDOWS = ['payment', 'last_hour', 'last_24_hours', 'ist_day', 'ist_month'] as const

export type PolicyWindow = (typeof POLICY_WINDOWS)[number]

/** One limit of one layer with what is left of it (contract section 5). Amounts in INR, recipients as a count. */
export const PolicyHeadroom = answer(
  {
    rule: oneOf(LIMIT_RULES, 'The control.'),
    layer: oneOf(POLICY_LAYERS, 'The layer that sets it.'),
    window: oneOf(
      POLICY_WINDOWS,
      'What it measures: one payment, the last hour or 24 hours, a calendar day or month in IST.',
    ),
    limit: amountOut('The limit: INR, or a number of recipients.'),
    used: nullable(
      amountOut('What counts against it now; null for a counterparty limit when no `to` was asked about.'),
    ),
    remaining: nullable(amountOut('What is left of it.')),
    resets_at: nullable(
      timestamp(
        'When all of it is free again if nothing more is spent; null where nothing is used or nothing resets.',
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
export const EffectivePolicy = answer(
  {
    agent_id: idSchema('agt'),
    status: oneOf(AGENT_STATUSES, 'Only an active agent can pay at all.'),
    tier: oneOf(TIERS, 'The trust tier that the tier layer comes from.'),
    limits: Type.Array(PolicyHeadroom, {
      description: 'Every limit of every layer, the general layers first.',
    }),
    thresholds: Type.Array(
      answer(
        {
          rule: oneOf(
            ['require_escrow_above', 'require_human_approval_above'],
            'What an amount above it needs.',
          ),
          layer: oneOf(POLICY_LAYERS, 'The layer that sets it.'),
          above: amountOut('The amount that still passes without it, INR.'),
        },
        { title: 'PolicyThreshold', description: 'An amount above which another way is asked for.' },
      ),
      { description: 'Amounts above which escrow or the owner is asked for.' },
    ),
    allowed_payees: Type.Array(Type.String(), {
      description: '`["network"]`, or the agents that every layer allows.',
    }),
    blocked_payee_agents: Type.Array(Type.String(), { description: 'The agents that any layer blocks.' }),
    max_amount_now: nullable(
      amountOut(
        'The greatest amount that every limit and the escrow threshold let pass now, whatever the balance; 0 while the agent is stopped.',
      ),
    ),
    pending_policy: describe(PendingPolicy, 'What waits to loosen the agent’s own policy.'),
    owner_pending_policy: describe(PendingPolicy, 'What waits to loosen the owner’s policy.'),
    as_of: timestamp('The moment that all of this is true of.'),
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
  summary: 'See what an agent may still spend',
  description:
    'Every limit of every layer (tier, owner, organization, agent) with what is used, what remains and when it resets. With `to`, the limits on that counterparty too.',
  who: ['platform', 'agent', 'owner'],
  params: request({ agent_id: idParam('agt') }),
  query: request({
    to: Type.Optional(agentReference('A counterparty, by agent id or handle, to see its limits too.')),
  }),
  status: 200,
  response: EffectivePolicy,
  errors: ['not_found', 'authorization_error'],
})

const control = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'The control whose waiting change is dropped.',
  examples: ['spend_limit_daily'],
})

export const cancelPendingPolicy = route({
  operationId: 'cancelPendingPolicy',
  method: 'DELETE',
  path: '/v1/agents/{agent_id}/pending-policy/{control}',
  tag: 'Policies',
  summary: 'Cancel a waiting change of an agent’s policy',
  description:
    'Drops a change that waits for the cooldown; the control stays as it is. `warnings` says when a payee list that stays leaves the agent nobody to pay.',
  who: ['platform', 'owner'],
  params: request({ agent_id: idParam('agt'), control }),
  status: 200,
  response: UpdatedAgent,
  errors: ['not_found', 'authorization_error', 'conflict'],
})

const ownerPolicyExample = { owner_id: exampleId('own'), policy: examplePolicy, pending_policy: {} }

const ownerPolicyProperties = { owner_id: idSchema('own'), policy: Policy, pending_policy: PendingPolicy }

/** What an owner sets above all own agents (contract section 5). Every limit measures one agent alone. */
export const OwnerPolicy = answer(ownerPolicyProperties, {
  title: 'OwnerPolicy',
  description: 'The owner’s own limits. They hold for each of the owner’s agents by itself.',
  examples: [ownerPolicyExample],
})
export type OwnerPolicy = Static<typeof OwnerPolicy>

const UpdatedOwnerPolicy = answer(
  { ...ownerPolicyProperties, ...policyWarnings },
  {
    title: 'UpdatedOwnerPolicy',
    description: 'The owner’s limits as they are now.',
    examples: [ownerPolicyExample],
  },
)

const ownerQuery = request({
  owner_id: Type.Optional(idSchema('own', 'Whose policy; needed when the session covers several owners.')),
})

export const getOwnerPolicy = route({
  operationId: 'getOwnerPolicy',
  method: 'GET',
  path: '/api/web/policy',
  tag: 'Owner session',
  summary: 'Get the owner’s policy',
  description: 'The owner layer of the spend policy: it limits each of the owner’s agents by itself.',
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
    'Changes the controls that are sent and leaves the others. What tightens holds at once for every agent of the owner; what loosens waits for the cooldown. `warnings` says when a changed payee list leaves an agent nobody to pay. While the owner is frozen, a change that loosens anything is `conflict`.',
  who: ['owner'],
  query: ownerQuery,
  body: request(
    {
      owner_id: Type.Optional(
        idSchema('own', 'Whose policy, instead of in the query; when both are given they must be the same.'),
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
  summary: 'Cancel a waiting change of the owner’s policy',
  description:
    'Drops a change that waits for the cooldown; the control stays as it is. `warnings` says when a payee list that stays leaves an agent nobody to pay.',
  who: ['owner'],
  params: request({ control }),
  query: ownerQuery,
  status: 200,
  response: UpdatedOwnerPolicy,
  errors: ['not_found'],
})
