import type { EventName } from '@batua/contract'
import { arrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import { formatId, movementOf, type Uuid } from '../../../kernel/ids.ts'
import { sameHash, type Vault } from '../../../kernel/secrets.ts'
import { isGenuine, type StoredTransfer, transferColumns } from '../../../ledger/index.ts'
import { type EventContent, type EventKey, eventMacText } from '../../../operations/event.ts'
import { paymentEventName } from '../../../operations/payment-fact.ts'
import { receivedBody, sentBody } from './payment-body.ts'

/**
 * The bodies of one platform's events as they are sent (`WebhookBody` of the contract, as JSON text), the same at every
 * call. An event without a body in the result failed verification or is not this platform's.
 */
export async function readEvents(
  db: Queryable,
  vault: Vault,
  platformId: Uuid,
  keys: readonly EventKey[],
): Promise<ReadonlyMap<Uuid, string>> {
  const bodies = new Map<Uuid, string>()
  const payments = keys.filter(isOfPayment)
  const recorded = keys.filter(key => !isOfPayment(key))
  await Promise.all([
    readPayments(db, vault, platformId, payments, bodies),
    readRecorded(db, vault, platformId, recorded, bodies),
  ])
  return bodies
}

function isOfPayment({ name }: EventKey): boolean {
  return name === 'agent.payment.sent' || name === 'agent.payment.received'
}

/** A payment, and whether the platform is its payer's, its payee's or both. */
interface SidedPayment extends StoredTransfer {
  readonly isPayers: boolean
  readonly isPayees: boolean
}

// Each agent's platform comes from a subquery, so that no plan reads the agents of all platforms.
const SELECT_PAYMENTS = `
  select ${transferColumns('t')},
    coalesce((select a.platform_id from agents a where a.id = t.debit_account) = $2, false) as "isPayers",
    coalesce((select a.platform_id from agents a where a.id = t.credit_account) = $2, false) as "isPayees"
  from transfers t where t.id = any($1::uuid[]) and t.kind = 'payment'`

/** Adds the bodies of a platform's payment events, each made from its transfer. */
async function readPayments(
  db: Queryable,
  vault: Vault,
  platformId: Uuid,
  keys: readonly EventKey[],
  bodies: Map<Uuid, string>,
): Promise<void> {
  const wanted = eventsByPayment(keys)
  if (wanted.size === 0) return
  const ids = arrayLiteral([...wanted.keys()])
  for (const payment of await db.query<SidedPayment>(SELECT_PAYMENTS, [ids, platformId])) {
    const { sent, received } = wanted.get(payment.id) ?? NONE
    const isSent = payment.isPayers && sent !== null
    const isReceived = payment.isPayees && received !== null
    if (!(isSent || isReceived) || !isGenuine(vault, payment)) continue
    if (isSent) bodies.set(sent, sentBody(payment))
    if (isReceived) bodies.set(received, receivedBody(payment))
  }
}

/** The requested events of one payment. */
interface PaymentEvents {
  readonly sent: Uuid | null
  readonly received: Uuid | null
}

const NONE: PaymentEvents = { sent: null, received: null }

function eventsByPayment(keys: readonly EventKey[]): Map<Uuid, PaymentEvents> {
  const events = new Map<Uuid, PaymentEvents>()
  for (const { id, name } of keys) {
    const { movement, side } = movementOf(id)
    if (name !== paymentEventName(id)) continue
    const known = events.get(movement) ?? NONE
    events.set(movement, side === 'debit' ? { ...known, sent: id } : { ...known, received: id })
  }
  return events
}

/** An event as its row has it. */
export interface RecordedEvent extends EventContent {
  readonly sequence: bigint | null
  /** null: recorded before events had MACs. */
  readonly mac: Buffer | null
}

// The MAC covers the event's subject, and a subject's platform never changes: so no platform gets another's event.
const SELECT_RECORDED = `
  select e.id, e.name, coalesce(e.agent_id, e.owner_id, e.platform_id) as "subjectId", e.data,
    e.created_at as "createdAt", e.sequence, e.seal as mac
  from events e
  where e.id = any($1::uuid[]) and e.platform_id = $2 and $2 = case
    when e.agent_id is not null then (select a.platform_id from agents a where a.id = e.agent_id)
    when e.owner_id is not null then (select o.platform_id from owners o where o.id = e.owner_id)
    else e.platform_id end`

/** Adds the bodies of a platform's events that have rows of their own. */
async function readRecorded(
  db: Queryable,
  vault: Vault,
  platformId: Uuid,
  keys: readonly EventKey[],
  bodies: Map<Uuid, string>,
): Promise<void> {
  if (keys.length === 0) return
  const names = new Map<Uuid, EventName>(keys.map(({ id, name }) => [id, name]))
  const ids = arrayLiteral([...names.keys()])
  for (const event of await db.query<RecordedEvent>(SELECT_RECORDED, [ids, platformId])) {
    if (names.get(event.id) === event.name && isGenuineEvent(vault, event)) {
      bodies.set(event.id, bodyOf(event))
    }
  }
}

/** Whether the service wrote the row. */
export function isGenuineEvent(vault: Vault, event: RecordedEvent): boolean {
  const text = macTextOf(event)
  return event.mac !== null && text !== null && sameHash(vault.mac(text), event.mac)
}

/** null: an edited row may have no canonical form, for example an infinite number or timestamp. */
function macTextOf(event: EventContent): string | null {
  try {
    return eventMacText(event)
  } catch {
    return null
  }
}

/** `WebhookBody`. `jsonb` has a fixed order of an object's fields, so the bytes are always the same. */
export function bodyOf({ id, name, createdAt, sequence, data }: RecordedEvent): string {
  return JSON.stringify({
    id: formatId('evt', id),
    event: name,
    type: name,
    timestamp: createdAt.toISOString(),
    sequence: sequence === null ? null : Number(sequence),
    data,
  })
}
