import type { EventName } from '@batua/contract'
import type { Database } from '../../../db/database.ts'
import { MAX_WAITING_BYTES } from '../../../http/streamed.ts'
import { type Clock, DAY_MS } from '../../../kernel/clock.ts'
import { firstUuidAt, momentOf, movementOf, parseId } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { isGenuineEvent } from '../events/read-events.ts'
import { LATEST_MS } from './follow.ts'
import { type LiveEvent, liveEvent, paymentEvents, sides, sidesOf } from './live-event.ts'
import {
  type Audience,
  existsEvent,
  FOLLOWED_EVENTS,
  selectAudienceAgents,
  selectMissedEvents,
  selectMissedPayments,
} from './store.ts'
import { isFor, type Subjects } from './subjects.ts'

const RESUMED_MS = DAY_MS
const MAX_MISSED = 1_000
/** Leaves room for the names and ids of events, and for events that happen while these are sent. */
const MAX_MISSED_BYTES = MAX_WAITING_BYTES / 2

interface Context {
  readonly database: Database
  readonly vault: Vault
  readonly clock: Clock
  readonly subjects: Subjects
}

/** What the audience missed since an event, oldest first; null when the client must read the state again. */
export async function readMissed(
  { database, vault, clock, subjects }: Context,
  audience: Audience,
  lastEventId: string,
): Promise<LiveEvent[] | null> {
  const last = parseId('evt', lastEventId)
  if (last === null || momentOf(last).getTime() < clock.now().getTime() - RESUMED_MS) return null
  if (!(await existsEvent(database, last, movementOf(last).movement))) return null
  // An event with a smaller id may have been committed after the last one was sent.
  const after = firstUuidAt(new Date(momentOf(last).getTime() - LATEST_MS))
  const agents = audience.kind === 'admin' ? [] : await selectAudienceAgents(database, audience)
  if (agents === null) return null
  const limit = MAX_MISSED + 1
  const [events, payments] = await Promise.all([
    audience.kind === 'admin'
      ? FOLLOWED_EVENTS.after(database, after, limit)
      : selectMissedEvents(database, { agents, audience }, after, limit),
    selectMissedPayments(database, agents, after, limit),
  ])
  if (events.length > MAX_MISSED || payments.length > MAX_MISSED) return null
  await subjects.load([...events, ...payments.flatMap(sides)])
  const isTheirs = (name: EventName, subject: Parameters<Subjects['of']>[0]) => {
    const concerned = subjects.of(subject)
    return concerned !== null && isFor(audience, name, concerned)
  }
  const recorded = events.filter(event => isTheirs(event.name, event) && isGenuineEvent(vault, event))
  const paid = payments.flatMap(payment =>
    sidesOf(payment).flatMap(([side, id]) => (isTheirs('agent.payment.sent', side) ? id : [])),
  )
  const missed = [...recorded.map(liveEvent), ...(await paymentEvents(database, vault, paid))]
  const bytes = missed.reduce((sum, { data }) => sum + Buffer.byteLength(data), 0)
  if (bytes > MAX_MISSED_BYTES) return null
  return missed.filter(({ id }) => id !== last).toSorted((left, right) => (left.id < right.id ? -1 : 1))
}
