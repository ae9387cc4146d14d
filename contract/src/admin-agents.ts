import { type Static, Type } from 'typebox'
import { AGENT_STATUSES } from './agents.ts'
import { ERROR_CODES } from './errors.ts'
import { exampleId } from './ids.ts'
import { route } from './route.ts'
import { nullable, oneOf, request, response } from './schema.ts'

/** The maximum number of agents in one bulk request (contract section 3). */
export const MAX_BULK_AGENTS = 500

const body = request(
  {
    agent_ids: Type.Array(Type.String({ minLength: 1, maxLength: 64, format: 'single-line' }), {
      minItems: 1,
      maxItems: MAX_BULK_AGENTS,
      uniqueItems: true,
      description: 'The agents by their ids, 1 to 500, each once.',
      examples: [[exampleId('agt'), exampleId('agt', 2)]],
    }),
  },
  { title: 'BulkAgentsRequest', examples: [{ agent_ids: [exampleId('agt'), exampleId('agt', 2)] }] },
)

const BulkResult = response(
  {
    agent_id: Type.String({ description: 'The id from the request.', examples: [exampleId('agt')] }),
    status: nullable(
      oneOf(AGENT_STATUSES, 'The agent’s state after the request; null if there is no such agent.'),
    ),
    error: nullable(
      response(
        {
          code: oneOf(ERROR_CODES, 'The error code, for programs.'),
          message: Type.String({ description: 'The message, for people.', examples: ['Agent is frozen'] }),
        },
        { description: 'Why this agent was not changed; null if it is in the requested state.' },
      ),
    ),
  },
  { description: 'The result for one agent.' },
)

/** The outcome of a bulk operation for each agent, in the order of the request (contract section 3). */
export const BulkResults = response(
  {
    results: Type.Array(BulkResult, {
      description: 'One entry for each agent, in the order of the request.',
    }),
  },
  {
    title: 'BulkResults',
    description: 'The result for each agent. The status is 200 even if some agents were not changed.',
    examples: [
      {
        results: [
          { agent_id: exampleId('agt'), status: 'frozen', error: null },
          {
            agent_id: exampleId('agt', 2),
            status: 'deactivated',
            error: { code: 'conflict', message: 'Agent is deactivated, which is final; create a new agent' },
          },
        ],
      },
    ],
  },
)
export type BulkResults = Static<typeof BulkResults>

const common = {
  method: 'POST',
  tag: 'Administration',
  who: ['admin'],
  body,
  status: 200,
  response: BulkResults,
  errors: [],
} as const

export const bulkFreezeAgents = route({
  ...common,
  operationId: 'bulkFreezeAgents',
  path: '/v1/admin/agents/bulk-freeze',
  summary: 'Freeze agents',
  description:
    'Emergency stop: from the next payment on, none of the agents can pay or receive. Each agent succeeds or fails by itself. `bulk-restore` ends the freeze.',
})

export const bulkQuarantineAgents = route({
  ...common,
  operationId: 'bulkQuarantineAgents',
  path: '/v1/admin/agents/bulk-quarantine',
  summary: 'Quarantine agents',
  description:
    'Stops the agents’ payments during an investigation. They can still receive, and can receive again if they were paused. Each agent succeeds or fails by itself: a frozen agent stays frozen (`conflict`). `bulk-restore` ends the quarantine.',
})

export const bulkRestoreAgents = route({
  ...common,
  operationId: 'bulkRestoreAgents',
  path: '/v1/admin/agents/bulk-restore',
  stepUp: true,
  summary: 'Restore agents',
  description:
    'Ends quarantine and freeze: each agent becomes active, or paused if its owner or platform had paused it. Each agent succeeds or fails by itself: an agent of a frozen owner is `conflict`.',
})
