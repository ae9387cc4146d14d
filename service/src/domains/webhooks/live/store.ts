import type { EventName } from '@batua/contract'
import { arrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { type StoredTransfer, transferColumns } from '../../../ledger/index.ts'
import type { RecordedEvent } from '../events/read-events.ts'

/** The agent, owner or platform that an event is about. */
export interface SubjectColumns {
  readonly agentId: Uuid | null
  readonly ownerId: Uuid | null
  readonly platformId: Uuid | null
}

/** A table whose rows are followed by their ids, which grow with time. */
export interface Followed<Row extends { readonly id: Uuid }> {
  /** The rows after an id, in the order of their ids. */
  after(db: Queryable, id: Uuid, limit: number): Promise<Row[]>
  byIds(db: Queryable, ids: readonly Uuid[]): Promise<Row[]>
  /** How many rows there are after `from` and up to `to`. */
  count(db: Queryable, from: Uuid, to: Uuid): Promise<number>
  ids(db: Queryable, from: Uuid, to: Uuid): Promise<Uuid[]>
}

export type FollowedEvent = RecordedEvent & SubjectColumns
export type FollowedPayment = Pick<StoredTransfer, 'id' | 'debitAccount' | 'creditAccount'>

function followed<Row extends { readonly id: Uuid }>(
  columns: string,
  table: string,
  condition: string,
): Followed<Row> {
  const select = `select ${columns} from ${table} r where ${condition}`
  const range = `from ${table} r where ${condition} and r.id > $1 and r.id <= $2`
  return {
    after: (db, id, limit) => db.query<Row>(`${select} and r.id > $1 order by r.id limit $2`, [id, limit]),
    byIds: (db, ids) => db.query<Row>(`${select} and r.id = any($1::uuid[])`, [arrayLiteral(ids)]),
    async count(db, from, to) {
      const [row] = await db.query<{ count: number }>(`select count(*)::int4 as count ${range}`, [from, to])
      return row?.count ?? 0
    },
    async ids(db, from, to) {
      const rows = await db.query<{ id: Uuid }>(`select r.id ${range}`, [from, to])
      return rows.map(({ id }) => id)
    },
  }
}

const EVENT_COLUMNS = `r.id, r.name, coalesce(r.agent_id, r.owner_id, r.platform_id) as "subjectId", r.data,
  r.created_at as "createdAt", r.sequence, r.seal as mac, r.agent_id as "agentId", r.owner_id as "ownerId",
  case when r.agent_id is null and r.owner_id is null then r.platform_id end as "platformId"`

/** Events that have rows of their own. */
export const FOLLOWED_EVENTS = followed<FollowedEvent>(EVENT_COLUMNS, 'events', 'true')

/** Payments, whose events are made of their transfers. */
export const FOLLOWED_PAYMENTS = followed<FollowedPayment>(
  'r.id, r.debit_account as "debitAccount", r.credit_account as "creditAccount"',
  'transfers',
  `r.kind = 'payment'`,
)

export function selectPayments(db: Queryable, ids: readonly Uuid[]): Promise<StoredTransfer[]> {
  return db.query<StoredTransfer>(
    `select ${transferColumns('t')} from transfers t where t.id = any($1::uuid[]) and t.kind = 'payment'`,
    [arrayLiteral(ids)],
  )
}

/** Whose events a stream has: those of owners, of a platform, or of everyone. */
export type Audience =
  | { readonly kind: 'owner'; readonly ownerIds: readonly Uuid[] }
  | { readonly kind: 'platform'; readonly platformId: Uuid }
  | { readonly kind: 'admin' }

/** An event that a stream missed. */
export interface MissedEvent {
  readonly id: Uuid
  readonly name: EventName
}

/** The most agents whose payments are looked up one by one when a stream resumes. */
const MAX_AGENTS = 10_000

/** The ids of the agents of an audience; null: too many to look each of them up. */
export async function selectAudienceAgents(
  db: Queryable,
  audience: Exclude<Audience, { kind: 'admin' }>,
): Promise<Uuid[] | null> {
  const rows = await db.query<{ id: Uuid }>(
    audience.kind === 'owner'
      ? `select id from agents where owner_id = any($1::uuid[]) limit $2`
      : `select id from agents where platform_id = any($1::uuid[]) limit $2`,
    [arrayLiteral(audience.kind === 'owner' ? audience.ownerIds : [audience.platformId]), MAX_AGENTS + 1],
  )
  return rows.length > MAX_AGENTS ? null : rows.map(({ id }) => id)
}

/** The events with rows of these agents, owners and platforms after an id: at most `limit`, oldest first. */
export function selectMissedEvents(
  db: Queryable,
  subjects: { readonly agents: readonly Uuid[]; readonly audience: Audience },
  after: Uuid,
  limit: number,
): Promise<FollowedEvent[]> {
  const { agents, audience } = subjects
  return db.query<FollowedEvent>(
    `select * from (
       (select ${EVENT_COLUMNS} from unnest($1::uuid[]) s(id) cross join lateral (
          select * from events e where e.agent_id = s.id and e.id > $4 order by e.id limit $5) r)
       union all
       (select ${EVENT_COLUMNS} from unnest($2::uuid[]) s(id) cross join lateral (
          select * from events e where e.owner_id = s.id and e.agent_id is null and e.id > $4 order by e.id limit $5) r)
       union all
       (select ${EVENT_COLUMNS} from unnest($3::uuid[]) s(id) cross join lateral (
          select * from events e where e.platform_id = s.id and e.agent_id is null and e.id > $4 order by e.id limit $5) r)
     ) missed order by id limit $5`,
    [
      arrayLiteral(agents),
      arrayLiteral(audience.kind === 'owner' ? audience.ownerIds : []),
      arrayLiteral(audience.kind === 'platform' ? [audience.platformId] : []),
      after,
      limit,
    ],
  )
}

/** The payments from and to these agents after an id: at most `limit` of each side, oldest first. */
export function selectMissedPayments(
  db: Queryable,
  agents: readonly Uuid[],
  after: Uuid,
  limit: number,
): Promise<FollowedPayment[]> {
  return db.query<FollowedPayment>(
    `select distinct on (p.id) p.id, p.debit_account as "debitAccount", p.credit_account as "creditAccount"
     from unnest($1::uuid[]) s(id) cross join lateral (
       (select t.id, t.debit_account, t.credit_account from transfers t
        where t.debit_account = s.id and t.id > $2 and t.kind = 'payment' order by t.id limit $3)
       union all
       (select t.id, t.debit_account, t.credit_account from transfers t
        where t.credit_account = s.id and t.id > $2 and t.kind = 'payment' order by t.id limit $3)) p
     order by p.id limit $3`,
    [arrayLiteral(agents), after, limit],
  )
}

/** Whether an event with this id happened: it has a row, or is the event of a payment. */
export async function existsEvent(db: Queryable, id: Uuid, movement: Uuid): Promise<boolean> {
  const rows = await db.query(
    `select 1 from events where id = $1
     union all select 1 from transfers where id = $2 and kind = 'payment'`,
    [id, movement],
  )
  return rows.length > 0
}
