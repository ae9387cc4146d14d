import { Agent } from './agents.ts'
import { idParam } from './ids.ts'
import { route } from './route.ts'
import { request } from './schema.ts'

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
