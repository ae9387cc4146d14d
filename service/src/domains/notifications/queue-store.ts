import type { NotificationKind } from '@batua/contract'
import { arrayLiteral, textArrayLiteral } from '../../db/array-literal.ts'
import type { Queryable } from '../../db/database.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { leasedRows } from '../../operations/due-work.ts'
import type { RecordedEvent } from '../webhooks/index.ts'

/** A notification that is still to be sent, to one browser or as a message. */
export interface Notification {
  readonly id: Uuid
  readonly phoneIndex: Buffer
  /** null: a message. */
  readonly subscriptionId: Uuid | null
  readonly kind: NotificationKind
  /** Several, if much happened at once. */
  readonly eventIds: readonly Uuid[]
  readonly dueAt: Date
  readonly expiresAt: Date
}

export interface DueNotification extends Omit<Notification, 'dueAt'> {
  /** How often it was claimed, this time included. */
  readonly attempts: number
}

export type OwnerEvent = RecordedEvent & {
  readonly agentId: Uuid | null
  readonly ownerId: Uuid | null
  readonly platformId: null
}

const EVENT_COLUMNS = `e.id, e.name, coalesce(e.agent_id, e.owner_id) as "subjectId", e.data,
  e.created_at as "createdAt", e.sequence, e.seal as mac, e.agent_id as "agentId", e.owner_id as "ownerId",
  null as "platformId"`

/** The `due` of the job that takes these events. */
export const EVENTS_WAIT = 'exists (select from owner_events)'

/** Removes events from the queue of those that owners may be notified of, oldest first; other nodes get other rows. */
export async function takeOwnerEvents(tx: Queryable, limit: number): Promise<OwnerEvent[]> {
  const rows = await tx.query<OwnerEvent>(
    `with due as (select id from owner_events order by id limit $1 for update skip locked),
     taken as (delete from owner_events q using due where q.id = due.id returning q.id)
     select ${EVENT_COLUMNS} from taken join events e on e.id = taken.id`,
    [limit],
  )
  return rows.toSorted((left, right) => (left.id < right.id ? -1 : 1))
}

export function selectEvents(db: Queryable, ids: readonly Uuid[]): Promise<OwnerEvent[]> {
  return db.query<OwnerEvent>(
    `select ${EVENT_COLUMNS} from events e where e.id = any($1::uuid[]) order by e.id`,
    [arrayLiteral(ids)],
  )
}

export async function insertNotifications(tx: Queryable, rows: readonly Notification[]): Promise<void> {
  if (rows.length === 0) return
  await tx.query(
    `insert into notifications (id, phone_index, subscription_id, kind, event_ids, due_at, expires_at)
     select v.id, decode(v.phone_index, 'hex'), v.subscription_id, v.kind, v.event_ids::uuid[], v.due_at, v.expires_at
     from unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::text[], $6::timestamptz[], $7::timestamptz[])
       v(id, phone_index, subscription_id, kind, event_ids, due_at, expires_at)`,
    [
      arrayLiteral(rows.map(({ id }) => id)),
      textArrayLiteral(rows.map(({ phoneIndex }) => phoneIndex.toString('hex'))),
      arrayLiteral(rows.map(({ subscriptionId }) => subscriptionId)),
      textArrayLiteral(rows.map(({ kind }) => kind)),
      textArrayLiteral(rows.map(({ eventIds }) => arrayLiteral(eventIds))),
      textArrayLiteral(rows.map(({ dueAt }) => dueAt.toISOString())),
      textArrayLiteral(rows.map(({ expiresAt }) => expiresAt.toISOString())),
    ],
  )
}

/**
 * A claimed notification is never due again by itself: after a crash it is lost rather than sent twice. `postpone`
 * makes one due again that certainly did not arrive.
 */
export const dueNotifications = leasedRows<DueNotification, DueNotification>({
  table: 'notifications',
  key: ['id'],
  due: 'due_at',
  lease: 'null::interval',
  counting: 'attempts = r.attempts + 1',
  atOnce: 50,
  selected: `r.id, r.phone_index as "phoneIndex", r.subscription_id as "subscriptionId", r.kind,
    r.event_ids as "eventIds", r.expires_at as "expiresAt", r.attempts`,
  proven: (_vault, row) => row,
})

/** Makes a claimed notification due again, because it certainly did not arrive. */
export async function postpone(db: Queryable, id: Uuid, dueAt: Date): Promise<void> {
  await db.query(`update notifications set due_at = $2 where id = $1`, [id, dueAt])
}

/** What waits for a browser waits until then. */
export async function postponeOthers(db: Queryable, subscriptionId: Uuid, dueAt: Date): Promise<void> {
  await db.query(
    `update notifications set due_at = greatest(due_at, $2) where subscription_id = $1 and due_at is not null`,
    [subscriptionId, dueAt],
  )
}

export async function deleteNotification(db: Queryable, id: Uuid): Promise<void> {
  await db.query(`delete from notifications where id = $1`, [id])
}

/** Deletes a bounded batch of expired notifications. Returns their number, and how many of them were claimed. */
export async function deleteExpired(
  db: Queryable,
  now: Date,
  limit: number,
): Promise<{ readonly deleted: number; readonly claimed: number }> {
  const rows = await db.query<{ isClaimed: boolean }>(
    `with old as (select id from notifications where expires_at <= $1 order by expires_at limit $2
       for update skip locked)
     delete from notifications n using old where n.id = old.id returning n.due_at is null as "isClaimed"`,
    [now, limit],
  )
  return { deleted: rows.length, claimed: rows.filter(({ isClaimed }) => isClaimed).length }
}
