import { route } from './route.ts'
import { answer, oneOf } from './schema.ts'

export const getHealth = route({
  operationId: 'getHealth',
  method: 'GET',
  path: '/healthz',
  tag: 'Service',
  summary: 'Is the process alive?',
  description: 'Public, not rate limited. Says nothing about the database; see readyz.',
  who: [],
  status: 200,
  response: answer(
    { status: oneOf(['ok'], 'The process answers.') },
    { title: 'Health', description: 'The process is alive.', examples: [{ status: 'ok' }] },
  ),
  errors: [],
})

export const getReadiness = route({
  operationId: 'getReadiness',
  method: 'GET',
  path: '/readyz',
  tag: 'Service',
  summary: 'Can it take calls?',
  description:
    'Public, not rate limited. `service_unavailable` while the database is away or the service is shutting down.',
  who: [],
  status: 200,
  response: answer(
    { status: oneOf(['ready'], 'It takes calls.') },
    { title: 'Readiness', description: 'The service takes calls.', examples: [{ status: 'ready' }] },
  ),
  errors: ['service_unavailable'],
})
