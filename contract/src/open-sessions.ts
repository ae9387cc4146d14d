import { Type } from 'typebox'
import { textOut, timestamp } from './fields.ts'
import { exampleId, idParam, idSchema } from './ids.ts'
import { route } from './route.ts'
import { nullable, request, response } from './schema.ts'

const OpenSession = Type.Object(
  {
    session_id: idSchema('ssn'),
    created_at: timestamp('When the session was opened.'),
    last_used_at: timestamp('When the session was last used, to the minute.'),
    address_hint: nullable(
      textOut('The network from which the session was opened; null: unknown.', '203.0.113.x'),
    ),
    agent_hint: nullable(
      textOut('The browser or program that opened the session; null: unknown.', 'Chrome on Android'),
    ),
    current: Type.Boolean({ description: 'Whether this request was made with the session.' }),
  },
  { title: 'Session' },
)

const exampleSession = {
  session_id: exampleId('ssn'),
  created_at: '2026-11-20T10:15:30.000Z',
  last_used_at: '2026-11-20T10:17:00.000Z',
  address_hint: '203.0.113.x',
  agent_hint: 'Chrome on Android',
  current: true,
}

export const listSessions = route({
  operationId: 'listSessions',
  method: 'GET',
  path: '/v1/sessions',
  tag: 'Login',
  summary: 'List your sessions',
  description: 'The open sessions of the person of this session: those of an owner, or of an administrator.',
  who: ['owner', 'admin'],
  status: 200,
  response: response(
    { sessions: Type.Array(OpenSession, { description: 'Newest first; at most 200.' }) },
    { title: 'Sessions', description: 'The open sessions.', examples: [{ sessions: [exampleSession] }] },
  ),
  errors: [],
})

export const endSession = route({
  operationId: 'endSession',
  method: 'DELETE',
  path: '/v1/sessions/{session_id}',
  tag: 'Login',
  summary: 'End one of your sessions',
  description:
    'Ends a session of the same person at once, on every node. The session of the request may be named too; its cookie is then deleted.',
  who: ['owner', 'admin'],
  params: request({ session_id: idParam('ssn') }),
  status: 200,
  response: response(
    { session_id: idSchema('ssn'), ended: Type.Literal(true, { description: 'The session has ended.' }) },
    {
      title: 'SessionEnded',
      description: 'The session has ended.',
      examples: [{ session_id: exampleId('ssn'), ended: true }],
    },
  ),
  errors: ['not_found'],
})

export const endOtherSessions = route({
  operationId: 'endOtherSessions',
  method: 'DELETE',
  path: '/v1/sessions',
  tag: 'Login',
  summary: 'End all your other sessions',
  description: 'Ends every session of the same person but that of the request, at once and on every node.',
  who: ['owner', 'admin'],
  status: 200,
  response: response(
    { ended: Type.Integer({ description: 'The number of sessions that were ended.', examples: [2] }) },
    { title: 'OtherSessionsEnded', description: 'The other sessions have ended.', examples: [{ ended: 2 }] },
  ),
  errors: [],
})
