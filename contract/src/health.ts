import { route } from './route.ts'
import { oneOf, response } from './schema.ts'

export const getHealth = route({
  operationId: 'getHealth',
  method: 'GET',
  path: '/healthz',
  tag: 'Service',
  summary: 'Check that the process is alive',
  description: 'Public, not rate limited. It does not check the database; see readyz.',
  who: [],
  status: 200,
  response: response(
    { status: oneOf(['ok'], 'The process responds.') },
    { title: 'Health', description: 'The process is alive.', examples: [{ status: 'ok' }] },
  ),
  errors: [],
})

export const getReadiness = route({
  operationId: 'getReadiness',
  method: 'GET',
  path: '/readyz',
  tag: 'Service',
  summary: 'Check that the service is ready',
  description:
    'Public, not rate limited. `service_unavailable` while the database is not available or the service is shutting down.',
  who: [],
  status: 200,
  response: response(
    { status: oneOf(['ready'], 'The service is ready for requests.') },
    {
      title: 'Readiness',
      description: 'The service is ready for requests.',
      examples: [{ status: 'ready' }],
    },
  ),
  errors: ['service_unavailable'],
})
