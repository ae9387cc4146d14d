import { EVENTS, type EventName } from '@batua/contract'
import type { ServiceDatabase } from './database.ts'
import { schemaFaultOf } from './responses.ts'

/** The differences between the recorded events and the contract: in their data, or because they belong to no platform.
 * Payments have no recorded events: theirs are made from their transfers.
 */
export async function eventFaults({ query }: Pick<ServiceDatabase, 'query'>): Promise<string[]> {
  const events = await query<{ name: EventName; data: unknown; platform: string | null }>(
    `select name, data, platform_id as platform from events order by id`,
  )
  const faults = events.flatMap(({ name, data, platform }) => [
    schemaFaultOf(name, EVENTS[name], data),
    platform === null ? `${name}: belongs to no platform in ${JSON.stringify(data)}` : null,
  ])
  return faults.filter(fault => fault !== null)
}

/** The names and data of the events of one agent or owner, oldest first. */
export async function eventsAbout(
  { query }: Pick<ServiceDatabase, 'query'>,
  id: string,
): Promise<readonly { readonly name: string; readonly data: unknown }[]> {
  return query(
    `select name, data from events where $1 in (data->>'agent_id', data->>'owner_id') order by id`,
    [id],
  )
}
