import { type Static, Type } from 'typebox'
import { agentReference, amountIn, amountOut, momentIn, textOut, timestamp } from './fields.ts'
import { exampleId, idParam, idSchema } from './ids.ts'
import { listOf, pageQuery } from './lists.ts'
import { route } from './route.ts'
import { request, response } from './schema.ts'

/** The longest time that an allowance holds, in days (contract section 12). */
export const MAX_ALLOWANCE_DAYS = 30

/** The most allowances of an agent that hold at once. */
export const MAX_ALLOWANCES = 100

const terms = {
  amount: amountIn(
    'The most that the payee may get in all without being approved one by one, INR, without fees.',
  ),
  until: momentIn(
    `When it ends: in the future, at most ${MAX_ALLOWANCE_DAYS} days.`,
    '2026-11-21T18:30:00.000Z',
  ),
}

/** What an owner gives beside an approval (contract section 12). */
export const Allow = request(terms, {
  description:
    'Lets the agent pay this payee more without asking: what would need approval and fits into what is left of the amount needs none. Limits still hold.',
  examples: [{ amount: 500, until: '2026-11-21T18:30:00.000Z' }],
})
export type Allow = Static<typeof Allow>

const properties = {
  allowance_id: idSchema('alw'),
  agent_id: idSchema('agt', 'The agent that may pay.'),
  to: idSchema('agt', 'The payee.'),
  amount: amountOut('The most that may be paid under it, INR, without fees.'),
  used: amountOut('What was paid and held under it, INR. What comes back is not deducted.'),
  until: timestamp('When it ends.'),
}

const example = {
  allowance_id: exampleId('alw'),
  agent_id: exampleId('agt'),
  to: exampleId('agt', 2),
  amount: 500,
  used: 120,
  until: '2026-11-21T18:30:00.000Z',
}

/** Payments to one payee that the owner approved beforehand (contract section 12). Amounts in INR. */
export const Allowance = response(properties, {
  title: 'Allowance',
  description: 'Payments to one payee that need no approval one by one.',
  examples: [example],
})
export type Allowance = Static<typeof Allowance>

/** An allowance with the names of both sides, as lists show it. */
export const NamedAllowance = response(
  {
    ...properties,
    agent_name: textOut('The name of the agent that may pay.', 'Research Agent'),
    to_name: textOut('The payee’s name.', 'Translator'),
    to_handle: textOut('The payee’s handle, which nobody can imitate.', 'translator'),
  },
  {
    title: 'NamedAllowance',
    description: 'An allowance with the names of both sides.',
    examples: [{ ...example, agent_name: 'Research Agent', to_name: 'Translator', to_handle: 'translator' }],
  },
)
export type NamedAllowance = Static<typeof NamedAllowance>

export const createAllowance = route({
  operationId: 'createAllowance',
  method: 'POST',
  path: '/v1/allowances',
  tag: 'Approvals',
  summary: 'Allow payments to a payee',
  description: `Until then, payments and holds of the agent to this payee that would need approval and fit into what is left of the amount need none. Limits, payee lists and the escrow threshold still hold. An agent has at most ${MAX_ALLOWANCES} at once.`,
  who: ['owner'],
  stepUp: true,
  body: request(
    {
      agent_id: idSchema('agt', 'One of your agents.'),
      to: agentReference('The payee: an agent id, or a handle in any case with or without `@`.'),
      ...terms,
    },
    {
      title: 'CreateAllowanceRequest',
      examples: [{ agent_id: exampleId('agt'), to: 'translator', amount: 500, until: example.until }],
    },
  ),
  status: 201,
  response: response(properties, {
    title: 'AllowanceCreated',
    description: 'The new allowance.',
    examples: [{ ...example, used: 0 }],
  }),
  errors: ['not_found', 'authorization_error', 'validation_error', 'conflict'],
})

export const listAllowances = route({
  operationId: 'listAllowances',
  method: 'GET',
  path: '/v1/allowances',
  tag: 'Approvals',
  summary: 'List allowances',
  description: 'The allowances of the owner’s agents that hold, newest first.',
  who: ['owner'],
  query: request({
    agent_id: Type.Optional(idSchema('agt', 'Only allowances of this agent.')),
    ...pageQuery,
  }),
  status: 200,
  response: listOf('allowances', NamedAllowance, {
    title: 'AllowanceList',
    description: 'A page of allowances.',
  }),
  errors: [],
})

export const endAllowance = route({
  operationId: 'endAllowance',
  method: 'DELETE',
  path: '/v1/allowances/{allowance_id}',
  tag: 'Approvals',
  summary: 'End an allowance',
  description: 'From now on such payments need approval again. Ending one that has ended changes nothing.',
  who: ['owner'],
  params: request({ allowance_id: idParam('alw') }),
  status: 200,
  response: response(properties, {
    title: 'AllowanceEnded',
    description: 'The allowance as it ended.',
    examples: [{ ...example, until: '2026-11-20T11:02:00.000Z' }],
  }),
  errors: ['not_found'],
})
