import { EVENT_NAMES, EVENTS, type EventName, WebhookBody } from '@batua/contract'
import { type TObject, type TSchema, Type } from 'typebox'
import type { Json, SchemaCollector } from './openapi-schemas.ts'

/** The webhooks of the document: each event with its whole body, from the schema of its data. */
export function webhooks(schemas: SchemaCollector): Json {
  return Object.fromEntries(EVENT_NAMES.map(name => [name, { post: webhook(name, schemas) }]))
}

function webhook(name: EventName, schemas: SchemaCollector): Json {
  const { description }: Json = { ...EVENTS[name] }
  const content = {
    schema: schemas.reference(bodyOf(name)),
    examples: { example: { value: exampleOf(name) } },
  }
  return {
    operationId: operationIdOf(name),
    tags: ['Webhooks'],
    summary: name,
    description,
    // Signed by the headers below, without a credential.
    security: [],
    parameters: HEADERS,
    requestBody: { required: true, content: { 'application/json': content } },
    responses: RESPONSES,
  }
}

/** `agentPaymentSentWebhook` for `agent.payment.sent`: no route has such a name. */
function operationIdOf(name: EventName): string {
  const [first = '', ...rest] = name.split('.')
  const words = [...rest, 'webhook'].map(word => word.charAt(0).toUpperCase() + word.slice(1))
  return first + words.join('')
}

/** `WebhookBody` with the name and the data of one event. */
function bodyOf(name: EventName): TObject {
  const { id, event, type, timestamp, sequence } = WebhookBody.properties
  const only = { enum: [name], examples: [name] }
  return Type.Object({
    id,
    event: Type.With(event, only),
    type: Type.With(type, only),
    timestamp,
    sequence,
    data: EVENTS[name],
  })
}

function exampleOf(name: EventName): Json {
  const [data] = examplesOf(EVENTS[name])
  const [body] = examplesOf(WebhookBody)
  const sequence = typeof data?.['agent_id'] === 'string' ? 1 : null
  return { ...body, event: name, type: name, sequence, data }
}

function examplesOf(schema: TSchema): readonly Json[] {
  const { examples }: Json = { ...schema }
  return Array.isArray(examples) ? examples : []
}

const HEADERS = [
  header('webhook-id', 'The event: the same on every attempt, so that what comes twice is known.'),
  header('webhook-timestamp', 'When this attempt was made, in Unix seconds.'),
  header(
    'webhook-signature',
    '`v1,` and the signature in base64; several, separated by spaces, after a rotation.',
  ),
]

function header(name: string, description: string): Json {
  return { name, in: 'header', required: true, description, schema: { type: 'string' } }
}

const RESPONSES = {
  '2XX': { description: 'You have it. After any other response it is sent again.' },
  '410': { description: 'You want nothing more: nothing is sent until `webhook_url` is set again.' },
}
