import { EVENTS, type EventName, FORMATS, WebhookBody } from '@batua/contract'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { Database } from '../db/database.ts'
import { readEvents } from '../domains/webhooks/events/read-events.ts'
import { closedSchema } from '../http/body/closed-schema.ts'
import { formatId, type Uuid } from '../kernel/ids.ts'
import type { Vault } from '../kernel/secrets.ts'
import type { EventKey } from '../operations/event.ts'
import { receivedEventOf, sentEventOf } from '../operations/payment-fact.ts'
import { TEST_VAULT } from './network.ts'

/** One event as it is delivered to a platform. */
export interface PublishedEvent {
  readonly to: Uuid
  readonly event: EventName
  readonly sequence: number | null
  readonly data: Readonly<Record<string, unknown>>
}

interface QueuedKey extends EventKey {
  readonly platformId: Uuid
}

/** The events that `work` queues, in the order in which they happened; each body is read and checked against its schema. */
export async function eventsDuring(
  database: Database,
  work: () => Promise<unknown>,
  vault: Vault = TEST_VAULT,
): Promise<PublishedEvent[]> {
  const known = new Set((await queuedKeys(database)).map(({ id }) => id))
  await work()
  const left = (await queuedKeys(database)).filter(({ id }) => !known.has(id))
  return Promise.all(left.map(key => read(database, vault, key)))
}

/** All events that are queued for fan-out. Where no deliverer runs, they stay queued. */
async function queuedKeys(database: Database): Promise<QueuedKey[]> {
  const recorded = await database.query<QueuedKey>(
    `select id, name, platform_id as "platformId" from events where queued`,
  )
  const payments = await database.query<{ id: Uuid; payer: Uuid; payee: Uuid }>(
    `select v.id, q.platforms[v.payer + 1] as payer, q.platforms[v.payee + 1] as payee
     from payment_events q, unnest(q.payments, q.payer_platforms, q.payee_platforms) v(id, payer, payee)`,
  )
  const sides = payments.flatMap(({ id, payer, payee }): QueuedKey[] => [
    { id: sentEventOf(id), name: 'agent.payment.sent', platformId: payer },
    { id: receivedEventOf(id), name: 'agent.payment.received', platformId: payee },
  ])
  return [...recorded, ...sides].toSorted((one, other) => (one.id < other.id ? -1 : 1))
}

async function read(database: Database, vault: Vault, key: QueuedKey): Promise<PublishedEvent> {
  const text = (await readEvents(database, vault, key.platformId, [key])).get(key.id)
  if (text === undefined) throw new Error(`${key.name} cannot be read`)
  const body = JSON.parse(text) as WebhookBody & PublishedEvent
  check('WebhookBody', WebhookBody, body)
  check(key.name, EVENTS[key.name], body.data)
  if (body.id !== formatId('evt', key.id) || body.event !== key.name || body.type !== key.name) {
    throw new Error(`${key.name} has another id or name in its body: ${text}`)
  }
  return { to: key.platformId, event: body.event, sequence: body.sequence, data: body.data }
}

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true, formats: FORMATS })
const compiled = new Map<string, ValidateFunction>()

function check(name: string, schema: Parameters<typeof closedSchema>[0], value: unknown): void {
  const validate = compiled.get(name) ?? ajv.compile(closedSchema(schema))
  compiled.set(name, validate)
  if (!validate(value)) throw new Error(`${name} does not fit: ${ajv.errorsText(validate.errors)}`)
}
