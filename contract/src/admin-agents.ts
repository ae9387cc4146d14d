import { type Static, Type } from 'typebox'
import { AGENT_STATUSES } from './agents.ts'
import { ERROR_CODES } from './errors.ts'
import { exampleId } from './ids.ts'
import { route } from './route.ts'
import { answer, nullable, oneOf, request } from './schema.ts'

/** Most agents that one bulk act names (contract section 3). */
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

const BulkResult = answer(
  {
    agent_id: Type.String({ description: 'The id as it was sent.', examples: [exampleId('agt')] }),
    status: nullable(
      oneOf(AGENT_STATUSES, 'The state in which the agent is now; null when there is no such agent.'),
    ),
    error: nullable(
      answer(
        {
          code: oneOf(ERROR_CODES, 'Why, for programs.'),
          message: Type.String({ description: 'Why, for people.', examples: ['Agent is frozen'] }),
        },
        { description: 'Why this agent was left as it was; null when it is as it was to be.' },
      ),
    ),
  },
  { description: 'What became of one agent.' },
)

/** The outcome of a bulk operation for each agent, in the order of the request (contract section 3). */
export const BulkResults = answer(
  { results: Type.Array(BulkResult, { description: 'One entry for each agent, in the order asked.' }) },
  {
    title: 'BulkResults',
    description: 'What became of each agent. The answer is 200 also when some were left as they were.',
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
    'Emergency stop: from its next payment on none of them pays or receives. Each succeeds or fails alone. Ends by bulk-restore.',
})

export const bulkQuarantineAgents = route({
  ...common,
  operationId: 'bulkQuarantineAgents',
  path: '/v1/admin/agents/bulk-quarantine',
  summary: 'Quarantine agents',
  description:
    'Stops what the agents send while they are looked into; they still receive, or receive again if they were paused. Each succeeds or fails alone: a frozen agent stays frozen (`conflict`). Ends by bulk-restore.',
})

export const bulkRestoreAgents = route({
  ...common,
  operationId: 'bulkRestoreAgents',
  path: '/v1/admin/agents/bulk-restore',
  summary: 'Restore agents',
  description:
    'Ends quarantine and freeze: each agent is active again, or paused when its owner’s side had paused it. Each succeeds or fails alone: below a frozen owner it is `conflict`.',
})
