import { isDeepStrictEqual } from 'node:util'
import { routes, type WebhookBody } from '@batua/contract'
import type { Api } from './api.ts'
import type { TestDatabase } from './database.ts'
import type { Platform } from './network.ts'
import { typeId } from './type-id.ts'
import type { ReceivedEvent, Receiver } from './webhook-receiver.ts'

type Query = TestDatabase['query']

/** An event as its receiver must get it. */
type Expected = Omit<WebhookBody, 'sequence'> & {
  readonly sequence: number | null
  readonly platform: string
}

interface PaymentRow {
  readonly id: string
  readonly payer: string
  readonly payee: string
  readonly payerPlatform: string
  readonly payeePlatform: string
  readonly paise: string
  readonly feePaise: string
  readonly payerSequence: string
  readonly payeeSequence: string
  readonly reference: string | null
  readonly postedAt: Date
}

/** All events, derived from the transfers and the recorded events. */
export async function expectedEvents(query: Query): Promise<Map<string, Expected>> {
  const payments = await query<PaymentRow>(
    `select t.id, t.debit_account as payer, t.credit_account as payee, payer.platform_id as "payerPlatform",
       payee.platform_id as "payeePlatform", t.amount_paise::text as paise, t.fee_paise::text as "feePaise",
       t.debit_sequence::text as "payerSequence", t.credit_sequence::text as "payeeSequence", t.reference,
       t.posted_at as "postedAt"
     from transfers t join agents payer on payer.id = t.debit_account join agents payee on payee.id = t.credit_account
     where t.kind = 'payment'`,
  )
  const events = [...payments.flatMap(eventsOf), ...(await otherEvents(query))]
  return new Map(events.map(event => [event.id, event]))
}

/** A payment is one event for each side; the payee's has the payment's id with its last bit set. */
function eventsOf(row: PaymentRow): Expected[] {
  const common = {
    amount: Number(row.paise) / 100,
    reference: row.reference,
    payment_id: typeId('pay', row.id),
  }
  const [from, to] = [typeId('agt', row.payer), typeId('agt', row.payee)]
  const sent = named('agent.payment.sent', row.postedAt)
  const received = named('agent.payment.received', row.postedAt)
  return [
    {
      ...sent,
      id: typeId('evt', row.id),
      platform: typeId('plt', row.payerPlatform),
      sequence: Number(row.payerSequence),
      data: { agent_id: from, to, ...common, fee: Number(row.feePaise) / 100 },
    },
    {
      ...received,
      id: typeId('evt', withLastBit(row.id)),
      platform: typeId('plt', row.payeePlatform),
      sequence: Number(row.payeeSequence),
      data: { agent_id: to, from, ...common },
    },
  ]
}

function named<Name extends WebhookBody['event']>(event: Name, at: Date) {
  return { event, type: event, timestamp: at.toISOString() }
}

function withLastBit(uuid: string): string {
  return uuid.slice(0, -1) + (Number.parseInt(uuid.slice(-1), 16) | 1).toString(16)
}

async function otherEvents(query: Query): Promise<Expected[]> {
  const rows = await query<{
    id: string
    platform: string
    name: WebhookBody['event']
    data: WebhookBody['data']
    sequence: string | null
    createdAt: Date
  }>(
    `select id, platform_id as platform, name, data, sequence::text, created_at as "createdAt" from events
     where platform_id is not null`,
  )
  return rows.map(({ id, platform, name, data, sequence, createdAt }) => ({
    ...named(name, createdAt),
    id: typeId('evt', id),
    platform: typeId('plt', platform),
    sequence: sequence === null ? null : Number(sequence),
    data,
  }))
}

/** The faults of a platform's webhooks: events that are missing, different or unknown. */
export function receivedFaults(
  platform: Platform,
  { received, faults }: Receiver,
  expected: ReadonlyMap<string, Expected>,
): string[] {
  const own = [...expected.values()].filter(event => event.platform === platform.id)
  const wrong = own.flatMap(event => eventFault(event, received.get(event.id)) ?? [])
  const invented = [...received.keys()].filter(id => expected.get(id)?.platform !== platform.id)
  return [
    ...faults,
    ...wrong,
    ...invented.map(id => `${id} was received and is none of this platform's events`),
  ]
}

function eventFault(
  { platform: _platform, ...event }: Expected,
  received: ReceivedEvent | undefined,
): string | null {
  if (received === undefined) return `${event.id} (${event.event}) never arrived`
  if (received.accepted === 0) return `${event.id} (${event.event}) was never accepted`
  return isDeepStrictEqual(JSON.parse(received.body), event)
    ? null
    : `${event.id} was received as ${received.body} and is ${JSON.stringify(event)}`
}

const PAGE = 100

/** The faults of a platform's deliveries: each event must have one, which is delivered. */
export async function listFaults(
  api: Api,
  { id, headers }: Platform,
  expected: ReadonlyMap<string, Expected>,
): Promise<string[]> {
  const missing = new Set(
    [...expected.values()].filter(({ platform }) => platform === id).map(event => event.id),
  )
  const faults: string[] = []
  for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
    const query = cursor === undefined ? { limit: PAGE } : { limit: PAGE, cursor }
    const { deliveries, pagination } = await api.ok(routes.listWebhookDeliveries, { headers, query })
    for (const { event_id, status, attempts, last_error } of deliveries) {
      if (status !== 'delivered' || attempts < 1)
        faults.push(`${event_id} is ${status} after ${attempts} attempts: ${last_error}`)
      if (!missing.delete(event_id)) faults.push(`${event_id} is listed, but not once and as an event`)
    }
    cursor = pagination.next_cursor
  }
  return [...faults, ...[...missing].map(event => `${event} is not listed`)]
}
