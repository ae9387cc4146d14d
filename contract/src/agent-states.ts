import { Type } from 'typebox'
import { Agent } from './agents.ts'
import { idParam } from './ids.ts'
import { route } from './route.ts'
import { request, response } from './schema.ts'

const params = request({ agent_id: idParam('agt') })

export const pauseAgent = route({
  operationId: 'pauseAgent',
  method: 'POST',
  path: '/v1/agents/{agent_id}/pause',
  tag: 'Agents',
  summary: 'Pause an agent',
  description:
    'Stops the agent temporarily: from the next payment on, it can neither pay nor receive. Pausing a paused agent changes nothing. A quarantined, frozen or deactivated agent is `conflict`.',
  who: ['platform', 'owner'],
  params,
  status: 200,
  response: Agent,
  errors: ['not_found', 'authorization_error', 'conflict'],
})

export const resumeAgent = route({
  operationId: 'resumeAgent',
  method: 'POST',
  path: '/v1/agents/{agent_id}/resume',
  tag: 'Agents',
  summary: 'Resume a paused agent',
  description:
    'A paused agent can pay and receive again. Resuming an active agent changes nothing. An agent that is quarantined, frozen or deactivated, or whose owner is frozen, is `conflict`.',
  who: ['platform', 'owner'],
  params,
  status: 200,
  response: Agent,
  errors: ['not_found', 'authorization_error', 'conflict'],
})

export const pauseAllAgents = route({
  operationId: 'pauseAllAgents',
  method: 'POST',
  path: '/api/web/agents/pause',
  tag: 'Owner session',
  summary: 'Pause all your agents',
  description:
    'The emergency stop: pauses every active agent of the session’s owners. From the next payment on, none of them can pay or receive. Each is resumed alone. Sending it again pauses what is active by then, and changes nothing else.',
  who: ['owner'],
  status: 200,
  response: response(
    {
      paused: Type.Integer({ description: 'The number of agents that this request paused.', examples: [3] }),
    },
    { title: 'AgentsPaused', description: 'No agent is active.', examples: [{ paused: 3 }] },
  ),
  errors: [],
})
