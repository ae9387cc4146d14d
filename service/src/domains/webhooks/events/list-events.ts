import {
  EVENTS_LISTED_DAYS,
  type LoggedEvent,
  type listEvents,
  type QueryOf,
  type ResponseOf,
} from '@batua/contract'
import type { PlatformCaller } from '../../../http/caller.ts'
import { page, pageOf } from '../../../http/paging.ts'
import { DAY_MS } from '../../../kernel/clock.ts'
import { firstUuidAt, formatId, momentOf, type Uuid } from '../../../kernel/ids.ts'
import type { EventKey } from '../../../operations/event.ts'
import { requireAccess, selectAgentsOfPlatform } from '../../parties/index.ts'
import type { WebhooksContext } from '../context.ts'
import { countEvents, selectEventKeys } from './event-list-store.ts'
import { readEvents } from './read-events.ts'

/** The events of a platform, its owners and agents, newest first, with the bodies that are sent. */
export async function findEvents(
  { database, vault, clock }: Pick<WebhooksContext, 'database' | 'vault' | 'clock'>,
  caller: PlatformCaller,
  { agent_id, event, ...query }: QueryOf<typeof listEvents>,
): Promise<ResponseOf<typeof listEvents>> {
  const { platformId } = caller
  const request = pageOf(query)
  const agentIds =
    agent_id === undefined
      ? await selectAgentsOfPlatform(database, platformId)
      : [(await requireAccess(database, caller, agent_id)).id]
  const filter = {
    platformId,
    agentIds,
    ofPlatform: agent_id === undefined,
    name: event ?? null,
    from: firstUuidAt(new Date(clock.now().getTime() - EVENTS_LISTED_DAYS * DAY_MS)),
  }
  const [keys, total] = await Promise.all([
    selectEventKeys(database, filter, request),
    countEvents(database, filter),
  ])
  const bodies = await readEvents(database, vault, platformId, keys)
  return page('events', keys, key => eventRecord(key, bodies), total, request)
}

function eventRecord({ id, name }: EventKey, bodies: ReadonlyMap<Uuid, string>): LoggedEvent {
  return {
    event_id: formatId('evt', id),
    event: name,
    delivery_id: formatId('whd', id),
    created_at: momentOf(id).toISOString(),
    body: bodies.get(id) ?? null,
  }
}
