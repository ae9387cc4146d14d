import { type Static, type TNumber, Type } from 'typebox'
import { amountOut, EXAMPLE_TIME, timestamp } from './fields.ts'
import { exampleId, idParam, idSchema } from './ids.ts'
import { Pagination, pageQuery } from './lists.ts'
import { POLICY_LAYERS } from './policy.ts'
import { THRESHOLD_CONTROLS } from './policy-controls.ts'
import { LIMIT_RULES } from './policy-routes.ts'
import { route } from './route.ts'
import { describe, nullable, oneOf, request, response } from './schema.ts'

/** What can keep a payer from paying more. */
export const EXPOSURE_RULES = [
  'balance',
  'status',
  ...LIMIT_RULES,
  ...THRESHOLD_CONTROLS,
  'allowed_payees',
  'blocked_payee_agents',
] as const

/** The most that can be paid until a moment (contract section 12). */
const MostPaid = response(
  {
    amount: amountOut('The most that payments can take out until then, INR, without fees.'),
    bound_by: response(
      {
        rule: oneOf(
          EXPOSURE_RULES,
          'What refuses one paisa more then: the balance, the agent’s status, or a control.',
        ),
        layer: nullable(oneOf(POLICY_LAYERS, 'The layer that sets it; null for the balance and the status.')),
      },
      { title: 'ExposureBound', description: 'What keeps the payer from paying more.' },
    ),
  },
  { title: 'MostPaid', description: 'The most that can be paid until a moment, and what bounds it.' },
)

const moneyBeside = {
  held: amountOut('What escrow holds of the agent’s money, INR.'),
  authorized: amountOut('What payees can capture at any moment, INR.'),
  pending_approvals: amountOut('What waits for the owner’s decision, INR, without fees.'),
}

const agentFigures = {
  agent_id: idSchema('agt'),
  hour: describe(MostPaid, 'Within the next 60 minutes.'),
  day: describe(MostPaid, 'Within the next 24 hours.'),
  month: describe(MostPaid, 'Within the next 30 times 24 hours.'),
  ...moneyBeside,
}

const exampleFigures = {
  agent_id: exampleId('agt'),
  hour: { amount: 500, bound_by: { rule: 'spend_limit_hourly' as const, layer: 'agent' as const } },
  day: { amount: 5000, bound_by: { rule: 'spend_limit_daily' as const, layer: 'owner' as const } },
  month: { amount: 9751.24, bound_by: { rule: 'balance' as const, layer: null } },
  ...{ held: 400, authorized: 280, pending_approvals: 1200 },
}

/** The most that an agent’s payments can take out without anybody deciding anything. Amounts in INR. */
export const Exposure = response(
  { as_of: timestamp('The time of these figures.'), ...agentFigures },
  {
    title: 'Exposure',
    description: 'The most that payments can take out without anybody deciding anything.',
    examples: [{ as_of: EXAMPLE_TIME, ...exampleFigures }],
  },
)
export type Exposure = Static<typeof Exposure>

export const getExposure = route({
  operationId: 'getExposure',
  method: 'GET',
  path: '/v1/agents/{agent_id}/exposure',
  tag: 'Policies',
  summary: 'Get the most that an agent can pay',
  description:
    'The most that payments can take out within an hour, a day and thirty days, by a payer that always pays the largest amount allowed at once to any allowed payee, while nobody decides anything. All limits, payee lists, thresholds, allowances, budgets, the balance with its fees, and pending increases that fall due meanwhile are included; money that comes in is not. It is 0 for a stopped agent.',
  who: ['platform', 'agent', 'owner'],
  params: request({ agent_id: idParam('agt') }),
  status: 200,
  response: Exposure,
  errors: ['not_found', 'authorization_error'],
})

const sum = (description: string): TNumber => amountOut(`${description} of all agents, INR.`)

/** The exposure of an owner's agents, with the sums over all of them. */
export const ExposureList = response(
  {
    as_of: timestamp('The time of these figures.'),
    total: response(
      {
        hour: sum('The most within the next 60 minutes'),
        day: sum('The most within the next 24 hours'),
        month: sum('The most within the next 30 times 24 hours'),
        held: sum('What escrow holds'),
        authorized: sum('What payees can capture'),
        pending_approvals: sum('What waits for a decision'),
      },
      { title: 'ExposureTotal', description: 'The sums over all agents, on every page the same.' },
    ),
    agents: Type.Array(
      response(agentFigures, { title: 'AgentExposure', description: 'The exposure of one agent.' }),
      { description: 'The agents of this page, newest first.' },
    ),
    pagination: Pagination,
  },
  {
    title: 'ExposureList',
    description: 'The exposure of the owner’s agents.',
    examples: [
      {
        as_of: EXAMPLE_TIME,
        total: { hour: 500, day: 5000, month: 9751.24, held: 400, authorized: 0, pending_approvals: 1200 },
        agents: [exampleFigures],
        pagination: { total: 1, limit: 20, offset: 0 },
      },
    ],
  },
)
export type ExposureList = Static<typeof ExposureList>

export const listExposure = route({
  operationId: 'listExposure',
  method: 'GET',
  path: '/api/web/exposure',
  tag: 'Owner session',
  summary: 'List the most that the owner’s agents can pay',
  description:
    'For each of the owner’s agents what `GET /v1/agents/{agent_id}/exposure` says, newest agents first, and the sums over all of them.',
  who: ['owner'],
  query: request(pageQuery),
  status: 200,
  response: ExposureList,
  errors: [],
})
