import { type EventData, kindOfEvent, type NotificationKind } from '@batua/contract'
import type { Queryable } from '../../db/database.ts'
import { DAY_MS } from '../../kernel/clock.ts'
import { newUuid } from '../../kernel/ids.ts'
import type { Job } from '../../operations/jobs.ts'
import { selectAcceptedPhones } from '../parties/index.ts'
import { isGenuineEvent, openSubjects } from '../webhooks/index.ts'
import type { NotificationsContext } from './context.ts'
import {
  EVENTS_WAIT,
  insertNotifications,
  type Notification,
  type OwnerEvent,
  takeOwnerEvents,
} from './queue-store.ts'
import { type StoredSettings, selectSettingsOf } from './settings-store.ts'
import { type Addressee, selectAddressees } from './subscription-store.ts'

/** How many events are fanned out in one transaction. */
const AT_ONCE = 500
/** More events of a kind at once cause one notification, with their number. */
const MOST_SEPARATE = 3
const KEPT_MS = DAY_MS

type Context = Pick<NotificationsContext, 'database' | 'vault'>

/**
 * Turns events into notifications for the people who asked for them. One transaction removes an event from those that
 * wait and inserts its notifications, so a crash neither loses nor repeats one.
 */
export function notificationFanOut({ database, vault }: Context): Job {
  return {
    name: 'notifications of events',
    everyMs: 1_000,
    due: EVENTS_WAIT,
    run: now =>
      database.inTransaction(async tx => {
        const taken = await takeOwnerEvents(tx, AT_ONCE)
        if (taken.length > 0) await insertFor(tx, vault, taken, now)
        return taken.length
      }),
  }
}

/** What of one kind happened to the agents of one person. */
interface Group {
  readonly settings: StoredSettings
  readonly kind: NotificationKind
  readonly events: OwnerEvent[]
}

async function insertFor(
  tx: Queryable,
  vault: Context['vault'],
  events: readonly OwnerEvent[],
  now: Date,
): Promise<void> {
  const groups = await groupsOf(tx, vault, events)
  const addressees = await selectAddressees(
    tx,
    groups.map(({ settings }) => settings.phoneIndex),
  )
  await insertNotifications(
    tx,
    groups.flatMap(group => notificationsOf(group, addressees, now)),
  )
}

async function groupsOf(
  tx: Queryable,
  vault: Context['vault'],
  events: readonly OwnerEvent[],
): Promise<Group[]> {
  const notified = events.filter(event => causesNotification(event) && isGenuineEvent(vault, event))
  const subjects = openSubjects(tx, vault)
  await subjects.load(notified)
  const ownerIds = new Set(notified.flatMap(event => subjects.of(event)?.ownerId ?? []))
  const phones = await selectAcceptedPhones(tx, vault, [...ownerIds])
  const settings = await selectSettingsOf(tx, [...phones.values()])
  const byPhone = new Map(settings.map(each => [each.phoneIndex.toString('hex'), each]))
  const groups = new Map<string, Group>()
  for (const event of notified) {
    const ownerId = subjects.of(event)?.ownerId ?? null
    const phone = ownerId === null ? undefined : phones.get(ownerId)?.toString('hex')
    const asked = phone === undefined ? undefined : byPhone.get(phone)
    const kind = kindOfEvent(event.name)
    if (asked === undefined || kind === null) continue
    const key = `${kind} ${phone}`
    const group = groups.get(key) ?? { settings: asked, kind, events: [] }
    groups.set(key, group)
    group.events.push(event)
  }
  return [...groups.values()]
}

/** Owners are notified of stops, not of agents that work again. */
function causesNotification({ name, data }: OwnerEvent): boolean {
  return name !== 'agent.status.changed' || (data as EventData<typeof name>).status !== 'active'
}

/** One notification for each event and channel, or one for all of them if they are many. */
function notificationsOf(group: Group, addressees: readonly Addressee[], now: Date): Notification[] {
  const { settings, kind, events } = group
  const { phoneIndex } = settings
  const bundles = events.length > MOST_SEPARATE ? [events] : events.map(event => [event])
  const browsers = settings.push.includes(kind)
    ? addressees.filter(each => each.phoneIndex.equals(phoneIndex))
    : []
  const ways = [
    ...browsers.map(({ id, pausedUntil }) => ({ subscriptionId: id, dueAt: latest(pausedUntil, now) })),
    ...(settings.message.includes(kind) ? [{ subscriptionId: null, dueAt: now }] : []),
  ]
  return bundles.flatMap(bundle =>
    ways.map(way => ({
      ...way,
      id: newUuid(now),
      phoneIndex,
      kind,
      eventIds: bundle.map(({ id }) => id),
      expiresAt: expiryOf(kind, bundle, now),
    })),
  )
}

function latest(one: Date | null, other: Date): Date {
  return one !== null && one > other ? one : other
}

/** The notification of a request is sent while it can be decided, every other one for a day. */
function expiryOf(kind: NotificationKind, events: readonly OwnerEvent[], now: Date): Date {
  if (kind !== 'approval_requested') return new Date(now.getTime() + KEPT_MS)
  const ends = events.map(({ data }) =>
    Date.parse((data as EventData<'agent.approval.requested'>).expires_at),
  )
  return new Date(Math.max(...ends))
}
