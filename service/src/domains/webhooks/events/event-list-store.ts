import type { EventName } from '@batua/contract'
import { arrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import { lastSkippedInParts, newestInParts } from '../../../http/list-in-parts.ts'
import type { PageRequest } from '../../../http/paging.ts'
import { creditSideOf, LAST_UUID, movementOf, type Uuid } from '../../../kernel/ids.ts'
import { slicesOf } from '../../../kernel/slices.ts'
import { type EventKey } from '../../../operations/event.ts'
import { paymentEventName } from '../../../operations/payment-fact.ts'

/** Which events a list shows: of these agents and, if `ofPlatform`, of the platform itself and its owners. */
export interface EventFilter {
  readonly platformId: Uuid
  readonly agentIds: readonly Uuid[]
  readonly ofPlatform: boolean
  readonly name: EventName | null
  /** No older ones. */
  readonly from: Uuid
}

/** An event by its place: one of a payment has the payment's id and a side. */
interface Place {
  readonly id: Uuid
  readonly side: 'debit' | 'credit' | null
  readonly name: EventName | null
}

/**
 * The sources of events. Parameters: $1 agents, $2 the platform, $3 whether its own events too, $4 the name, $5 the first
 * id, $6 the id before which events end, $7 the same for received payments, whose ids have their last bit set; $8 how many.
 */
const SOURCES = `
  select e.id, e.side, e.name from unnest($1::uuid[]) g (agent) cross join lateral (
    (select r.id, null::text as side, r.name from events r
     where r.agent_id = g.agent and r.platform_id = $2 and r.id >= $5 and r.id < $6
       and ($4::text is null or r.name = $4) order by r.id desc limit $8)
    union all
    (select t.id, 'debit', null from transfers t
     where coalesce($4, 'agent.payment.sent') = 'agent.payment.sent' and t.debit_account = g.agent
       and t.kind = 'payment' and t.id >= $5 and t.id < $6 order by t.id desc limit $8)
    union all
    (select t.id, 'credit', null from transfers t
     where coalesce($4, 'agent.payment.received') = 'agent.payment.received' and t.credit_account = g.agent
       and t.kind = 'payment' and t.id >= $5 and t.id < $7 order by t.id desc limit $8)
  ) e
  union all
  (select r.id, null, r.name from events r
   where $3::boolean and r.platform_id = $2 and r.agent_id is null and r.id >= $5 and r.id < $6
     and ($4::text is null or r.name = $4) order by r.id desc limit $8)`

/** Of one movement, the received event is the newer. */
export const SELECT_EVENTS = `select id, side, name from (${SOURCES}) e order by id desc, side limit $8`

/** Every $9th of them. */
export const SELECT_EVENT_PLACES = `
  select id, side, name from (
    select id, side, name, row_number() over (order by id desc, side) as place
    from (select id, side, name from (${SOURCES}) e order by id desc, side limit $8) newest
  ) numbered where place % $9::int8 = 0 order by place`

const IN_DEBITS = `t.debit_account = any($1::uuid[]) and t.id >= $5`
const IN_CREDITS = `t.credit_account = any($1::uuid[]) and t.id >= $5`

/** Payments are all transfers of a side less the others, because only those have an index of their own. */
const payments = (name: string, range: string) => `
  case when coalesce($4, '${name}') = '${name}' then
    (select count(*) from transfers t where ${range})
    - (select count(*) from transfers t where ${range} and coalesce(t.kind <> 'payment', false))
  else 0 end`

export const COUNT_EVENTS = `
  select (select count(*) from events r where r.agent_id = any($1::uuid[]) and r.platform_id = $2 and r.id >= $5
      and ($4::text is null or r.name = $4))
    + (select count(*) from events r where $3::boolean and r.platform_id = $2 and r.agent_id is null and r.id >= $5
      and ($4::text is null or r.name = $4))
    + ${payments('agent.payment.sent', IN_DEBITS)} + ${payments('agent.payment.received', IN_CREDITS)} as total`

const AGENTS_AT_ONCE = 250

interface Part {
  readonly agents: string
  readonly ofPlatform: boolean
  readonly before: Uuid
}

/** The first part has the events of the platform itself, also when there is no agent. */
function inParts({ agentIds, ofPlatform }: EventFilter, before: Uuid): Part[] {
  const slices = slicesOf(agentIds, AGENTS_AT_ONCE)
  return (slices.length === 0 ? [[]] : slices).map((agents, index) => ({
    agents: arrayLiteral(agents),
    ofPlatform: ofPlatform && index === 0,
    before,
  }))
}

function range({ platformId, name, from: first }: EventFilter, part: Part, from: Uuid | null): unknown[] {
  const { agents, ofPlatform, before } = part
  const lowest = from === null ? first : movementOf(from).movement
  return [
    agents,
    platformId,
    ofPlatform,
    name,
    lowest > first ? lowest : first,
    before,
    movementOf(before).movement,
  ]
}

function idOf({ id, side }: Place): Uuid {
  return side === 'credit' ? creditSideOf(id) : id
}

/** A page of events, newest first. */
export async function selectEventKeys(
  db: Queryable,
  filter: EventFilter,
  { before, offset, fetch }: PageRequest,
): Promise<EventKey[]> {
  const first = before ?? LAST_UUID
  const last =
    offset === 0
      ? first
      : await lastSkippedInParts(inParts(filter, first), offset, {
          async select(part, most, step, from) {
            const values = [...range(filter, part, from), most, step]
            return (await db.query<Place>(SELECT_EVENT_PLACES, values)).map(idOf)
          },
          behind: (part, id) => ({ ...part, before: id }),
        })
  if (last === null) return []
  const places = await newestInParts(inParts(filter, last), { fetch, idOf }, (part, from) =>
    db.query<Place>(SELECT_EVENTS, [...range(filter, part, from), fetch]),
  )
  return places.map(place => ({ id: idOf(place), name: place.name ?? paymentEventName(idOf(place)) }))
}

export async function countEvents(db: Queryable, filter: EventFilter): Promise<bigint> {
  let total = 0n
  for (const part of inParts(filter, LAST_UUID)) {
    const values = range(filter, part, null).slice(0, 5)
    const [row] = await db.query<{ total: bigint }>(COUNT_EVENTS, values)
    total += row?.total ?? 0n
  }
  return total
}
