import { EVENTS, type EventName } from '@batua/contract'
import { schemaFaultOf } from './answers.ts'
import type { ServiceDatabase } from './database.ts'

/** Where the events that a service has recorded differ from what the contract says of them, in words. */
export async function eventFaults({ query }: Pick<ServiceDatabase, 'query'>): Promise<string[]> {
  const events = await query<{ name: EventName; data: unknown }>(`select name, data from events order by id`)
  const faults = events.map(({ name, data }) => schemaFaultOf(name, EVENTS[name], data))
  return faults.filter(fault => fault !== null)
}

/** The names of the events of one agent or owner, oldest first. */
export async function eventsAbout(
  { query }: Pick<ServiceDatabase, 'query'>,
  id: string,
): Promise<readonly { readonly name: string; readonly data: unknown }[]> {
  return query(
    `select name, data from events where $1 in (data->>'agent_id', data->>'owner_id') order by id`,
    [id],
  )
}
