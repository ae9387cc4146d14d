import type { EventData, EventName } from '@batua/contract'
import { arrayLiteral, textArrayLiteral } from '../../db/array-literal.ts'
import type { Queryable } from '../../db/database.ts'
import { newUuid, type Uuid } from '../../kernel/ids.ts'
import type { Book, Sink } from '../../ledger/index.ts'

/** Whose platform is told: that of an agent, or of an owner. */
export type Subject = { readonly agentId: Uuid } | { readonly ownerId: Uuid }

/** An event for one platform; its data is what the contract says of its name. */
export type NewEvent = {
  readonly [Name in EventName]: { readonly name: Name; readonly data: EventData<Name> } & Subject
}[EventName]

type StoredEvent = NewEvent & { readonly createdAt: Date }

const eventSink: Sink<StoredEvent> = {
  name: 'events',
  write: (tx, rows) => insertEvents(tx, rows),
}

/** Records an event in the commit of a batch. */
export function emit(book: Book, event: NewEvent): void {
  book.write(eventSink, { ...event, createdAt: new Date(book.nowMs) })
}

/** Records events in a transaction beside the book. */
export async function recordEvents(tx: Queryable, now: Date, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  await insertEvents(
    tx,
    events.map(event => ({ ...event, createdAt: now })),
  )
}

async function insertEvents(tx: Queryable, events: readonly StoredEvent[]): Promise<void> {
  await tx.query(
    `insert into events (id, agent_id, owner_id, name, data, created_at)
     select v.id, v.agent_id, v.owner_id, v.name, v.data::jsonb, v.created_at
     from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::timestamptz[])
       v(id, agent_id, owner_id, name, data, created_at)`,
    [
      arrayLiteral(events.map(event => newUuid(event.createdAt))),
      arrayLiteral(events.map(event => ('agentId' in event ? event.agentId : null))),
      arrayLiteral(events.map(event => ('ownerId' in event ? event.ownerId : null))),
      arrayLiteral(events.map(event => event.name)),
      textArrayLiteral(events.map(event => JSON.stringify(event.data))),
      textArrayLiteral(events.map(event => event.createdAt.toISOString())),
    ],
  )
}
