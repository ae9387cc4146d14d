import { Type } from 'typebox'
import { exampleId } from './ids.ts'
import { route } from './route.ts'

const data = `{"id":"${exampleId('evt')}","event":"agent.approval.requested","type":"agent.approval.requested","timestamp":"2026-11-20T10:15:30.000Z","sequence":41,"data":{}}`

const EventStream = Type.String({
  title: 'EventStream',
  description:
    'Server-sent events: `id`, `event` with the event’s name, and `data` with the body of the webhook event on one line.',
  examples: [`id: ${exampleId('evt')}\nevent: agent.approval.requested\ndata: ${data}\n\n`],
})

/** Events as they happen, for pages that stay open (contract section 12). */
export const getEventStream = route({
  operationId: 'getEventStream',
  method: 'GET',
  path: '/api/web/events',
  tag: 'Service',
  summary: 'Follow events as they happen',
  description:
    'An owner gets the events of her agents and of her records, a platform gets what its webhooks get, an administrator gets all events but those of payments. A client that was disconnected sends the header `Last-Event-ID`, as browsers do, and gets what happened since. When that is unknown, older than 24 hours, or more than 1,000 events or 128 KiB, an event `reset` comes first: read the state again. An event may come twice; its `id` says so. A comment is sent every 15 seconds. The stream ends when the session ends, when the platform’s secret is rotated, and after an hour, and the client connects again.',
  who: ['owner', 'admin', 'platform'],
  status: 200,
  produces: ['text/event-stream'],
  response: EventStream,
  errors: [],
})
