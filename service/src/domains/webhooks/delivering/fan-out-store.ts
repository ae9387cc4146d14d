import type { EventName } from '@batua/contract'
import { arrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'

export interface PendingWork {
  /** There are events to fan out. */
  readonly hasQueuedEvents: boolean
  /** There are endpoints with due work that no node has leased. */
  readonly hasDueEndpoints: boolean
}

/** What there is to do, by one cheap query that may run many times a second. */
export async function selectPendingWork(db: Queryable, now: Date): Promise<PendingWork> {
  const [found] = await db.query<PendingWork>(
    `select exists (select 1 from payment_events) or exists (select 1 from events where queued) as "hasQueuedEvents",
       exists (
         select 1 from webhook_endpoints
         where work_at <= $1 and (paused_until is null or paused_until <= $1)
           and (leased_until is null or leased_until <= clock_timestamp())) as "hasDueEndpoints"`,
    [now],
  )
  return found ?? { hasQueuedEvents: false, hasDueEndpoints: false }
}

/** The payments of one commit. Parsed only if one of its platforms receives webhooks. */
export interface QueuedPayments {
  /** The platforms of all payers and payees. */
  readonly platforms: readonly Uuid[]
  /** Each payment with the platforms of both sides. */
  readonly payments: () => Iterable<{ readonly id: Uuid; readonly payer: Uuid; readonly payee: Uuid }>
}

interface PaymentsRow {
  readonly id: Uuid
  readonly payments: string
  readonly platforms: string
  readonly payers: string
  readonly payees: string
}

/** Removes queued payments, oldest commits first; nodes that run this at the same time get different rows. */
export async function takePayments(tx: Queryable, limit: number): Promise<QueuedPayments[]> {
  const rows = await tx.query<PaymentsRow>(
    `with taken as (select id from payment_events order by id limit $1 for update skip locked)
     delete from payment_events q using taken where q.id = taken.id
     returning q.id, q.payments::text, q.platforms::text, q.payer_platforms::text as payers,
       q.payee_platforms::text as payees`,
    [limit],
  )
  return rows.toSorted((left, right) => (left.id < right.id ? -1 : 1)).map(paymentsOf)
}

/** A row that was edited and is no list of ids yields no payments; it does not block other rows. */
function paymentsOf(row: PaymentsRow): QueuedPayments {
  const named = items(row.platforms).map(item => (isUuid(item) ? item : undefined))
  return {
    platforms: named.filter(id => id !== undefined),
    *payments() {
      const payers = items(row.payers)
      const payees = items(row.payees)
      for (const [index, id] of items(row.payments).entries()) {
        const payer = named[Number(payers[index])]
        const payee = named[Number(payees[index])]
        if (isUuid(id) && payer !== undefined && payee !== undefined) yield { id, payer, payee }
      }
    },
  }
}

/** An array of plain values as PostgreSQL writes it; the driver's own parser is slow on long ones. */
function items(literal: string): string[] {
  return literal.slice(1, -1).split(',')
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function isUuid(item: string): boolean {
  return UUID.test(item)
}

/** An event to be delivered to its platform. */
export interface QueuedEvent {
  readonly id: Uuid
  readonly platformId: Uuid
  readonly event: EventName
}

/** Removes queued events of all other kinds from the queue. */
export async function takeEvents(tx: Queryable, limit: number): Promise<QueuedEvent[]> {
  return tx.query<QueuedEvent>(
    `with taken as (select id from events where queued order by id limit $1 for update skip locked)
     update events e set queued = false from taken where e.id = taken.id
     returning e.id, e.platform_id as "platformId", e.name as event`,
    [limit],
  )
}

/** Which of these platforms have a webhook_url. */
export async function selectPlatformsWithUrl(
  tx: Queryable,
  platformIds: readonly Uuid[],
): Promise<ReadonlySet<Uuid>> {
  const rows = await tx.query<{ id: Uuid }>(
    `select id from platforms where id = any ($1::uuid[]) and webhook_url is not null`,
    [arrayLiteral(platformIds)],
  )
  return new Set(rows.map(({ id }) => id))
}

export async function insertDeliveries(
  tx: Queryable,
  events: readonly QueuedEvent[],
  now: Date,
): Promise<void> {
  if (events.length === 0) return
  await tx.query(
    `insert into webhook_deliveries (platform_id, id, event, status, next_attempt_at)
     select platform_id, id, event, 'pending', $4
     from unnest($1::uuid[], $2::uuid[], $3::text[]) v(platform_id, id, event)
     on conflict (platform_id, id) do nothing`,
    [
      arrayLiteral(events.map(({ platformId }) => platformId)),
      arrayLiteral(events.map(({ id }) => id)),
      arrayLiteral(events.map(({ event }) => event)),
      now,
    ],
  )
}
