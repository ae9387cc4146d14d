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
    'Stops the agent for a while: from its next payment on it neither pays nor receives. Pausing a paused agent changes nothing. `conflict` when it is quarantined, frozen or deactivated.',
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
    'Lets a paused agent pay and receive again. Resuming an active agent changes nothing. `conflict` when it is quarantined, frozen or deactivated, or its owner is frozen.',
  who: ['platform', 'owner'],
  params,
  status: 200,
  response: Agent,
  errors: ['not_found', 'authorization_error', 'conflict'],
})
