import { Type } from 'typebox'
import { AGENT_STATUSES } from './agents.ts'
import { textOut } from './fields.ts'
import { exampleId, idSchema } from './ids.ts'
import { route } from './route.ts'
import { nullable, oneOf, request, response } from './schema.ts'

/** The longest text in these two addresses. The routes return a result for every text instead of an error. */
const MAX_LENGTH = 255

export const getHandleAvailability = route({
  operationId: 'getHandleAvailability',
  method: 'GET',
  path: '/v1/agents/handle/{handle}/available',
  tag: 'Agents',
  summary: 'Check whether a handle is available',
  description: 'Public. `reason` is `taken`, or `invalid` if it cannot be a handle.',
  who: [],
  params: request({
    handle: Type.String({
      minLength: 1,
      maxLength: MAX_LENGTH,
      description: 'The handle, in any case, with or without `@`.',
      examples: ['researcher'],
    }),
  }),
  status: 200,
  response: response(
    {
      handle: textOut('The handle as it would be stored; an invalid one as in the request.', 'researcher'),
      available: Type.Boolean({ description: 'Whether an agent can be created with it now.' }),
      reason: nullable(oneOf(['taken', 'invalid'], 'Why it is not available; null if it is.')),
    },
    {
      title: 'HandleAvailability',
      description: 'Whether the handle is available.',
      examples: [
        { handle: 'researcher', available: true, reason: null },
        { handle: 'researcher', available: false, reason: 'taken' },
      ],
    },
  ),
  errors: [],
})

export const getAgentExistence = route({
  operationId: 'getAgentExistence',
  method: 'GET',
  path: '/v1/agents/{agent_id}/exists',
  tag: 'Agents',
  summary: 'Check whether an agent exists',
  description:
    'Public. Accepts an agent id or a handle. The status is always 200; the other fields are null if there is no such agent.',
  who: [],
  params: request({
    agent_id: Type.String({
      minLength: 1,
      maxLength: MAX_LENGTH,
      description: 'An agent id, or a handle in any case with or without `@`.',
      examples: ['researcher'],
    }),
  }),
  status: 200,
  response: response(
    {
      exists: Type.Boolean({ description: 'Whether the agent exists.' }),
      agent_id: nullable(idSchema('agt')),
      handle: nullable(textOut('Its handle.', 'researcher')),
      name: nullable(textOut('The display name.', 'Research Agent')),
      status: nullable(oneOf(AGENT_STATUSES, 'Its state.')),
    },
    {
      title: 'AgentExistence',
      description: 'The public facts about an agent.',
      examples: [
        {
          exists: true,
          agent_id: exampleId('agt'),
          handle: 'researcher',
          name: 'Research Agent',
          status: 'active',
        },
        { exists: false, agent_id: null, handle: null, name: null, status: null },
      ],
    },
  ),
  errors: [],
})
