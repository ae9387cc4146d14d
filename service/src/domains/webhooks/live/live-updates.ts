import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { asService, type Database, type Queryable } from '../../../db/database.ts'
import { DatabaseUnavailable } from '../../../db/errors.ts'
import { type EventStream, openEventStream } from '../../../http/streamed.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { type Clock, HOUR_MS } from '../../../kernel/clock.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import type { Logger } from '../../../kernel/logger.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { isGenuineEvent } from '../events/read-events.ts'
import { follow } from './follow.ts'
import { type Listeners, openListeners } from './listeners.ts'
import { type LiveEvent, liveEvent, paymentEvents, sides, sidesOf } from './live-event.ts'
import { countOpenStreams, type StreamLimits } from './open-streams.ts'
import { readMissed } from './read-missed.ts'
import { type Audience, FOLLOWED_EVENTS, FOLLOWED_PAYMENTS, type FollowedPayment } from './store.ts'
import { isFor, openSubjects, type Subjects } from './subjects.ts'

export interface LiveUpdatesContext {
  readonly database: Database
  readonly clock: Clock
  readonly vault: Vault
  readonly logger: Pick<Logger, 'warn'>
  readonly limits: StreamLimits
  /** Which of these sessions are not over. */
  readonly selectLiveSessions: (db: Queryable, ids: readonly Uuid[], now: Date) => Promise<ReadonlySet<Uuid>>
  /** The hashes of the secrets of these platforms; a deleted one has none. */
  readonly selectSecretHashes: (db: Queryable, ids: readonly Uuid[]) => Promise<ReadonlyMap<Uuid, string>>
}

/** The streams that are open on this node. */
export interface LiveUpdates {
  /** Opens a stream of the audience's events; with the id of the last event that the client got, from there on. */
  open(subscriber: Subscriber, lastEventId: string | undefined): Promise<Readable>
  /** Ends all streams. */
  close(): void
}

export interface Subscriber {
  readonly audience: Audience
  /** The stream ends when this session does; null: it was opened with a platform's secret. */
  readonly sessionId: Uuid | null
  /** The network of the client, as the rate limits see it. */
  readonly network: string
}

interface Subscription extends Subscriber {
  readonly stream: EventStream
  readonly openedAt: number
  /** The hash of the platform's secret when the stream was opened; null for a session, and until it was read. */
  secretHash: string | null
  /** Events that happened while the missed ones are read; null afterwards. */
  waiting: LiveEvent[] | null
  /** The missed events that were sent. The loop may read some of them a moment later. */
  resumed: ReadonlySet<Uuid>
}

const TICK_MS = 250
const SESSIONS_EVERY_TICKS = 8
const LONGEST_MS = HOUR_MS

/**
 * One loop reads what was committed and sends it to all streams of this node, so what it costs depends on the number of
 * events and of their listeners, not of streams. Without a stream it does not run.
 */
export function openLiveUpdates(context: LiveUpdatesContext): LiveUpdates {
  const { database, clock, vault, selectSecretHashes } = context
  const subscriptions = openListeners<Subscription>()
  const openStreams = countOpenStreams(context.limits)
  const subjects = openSubjects(database, vault)
  const loop = openLoop(context, subjects, subscriptions)
  let isClosed = false

  async function begin(subscription: Subscription, lastEventId: string | undefined): Promise<void> {
    const { stream, audience } = subscription
    if (audience.kind === 'platform') {
      const { platformId } = audience
      const hashes = await selectSecretHashes(database.lookUps, [platformId])
      subscription.secretHash = hashes.get(platformId) ?? ''
    }
    await loop.start()
    const missed =
      lastEventId === undefined
        ? []
        : await readMissed({ database, vault, clock, subjects }, audience, lastEventId)
    if (missed === null) stream.send({ name: 'reset', data: '{}' })
    for (const event of missed ?? []) send(stream, event)
    subscription.resumed = new Set(missed?.map(({ id }) => id))
    const happened = subscription.waiting ?? []
    subscription.waiting = null
    for (const event of happened) deliver([subscription], event)
  }

  return {
    async open(subscriber, lastEventId) {
      if (isClosed) throw new AppError('service_unavailable', 'The service is stopping')
      const release = openStreams.take(credentialOf(subscriber), subscriber.network)
      const stream = openEventStream()
      const subscription: Subscription = {
        ...subscriber,
        stream,
        openedAt: performance.now(),
        secretHash: null,
        waiting: [],
        resumed: new Set(),
      }
      subscriptions.add(subscription)
      stream.body.once('close', () => {
        subscriptions.delete(subscription)
        release()
      })
      try {
        await begin(subscription, lastEventId)
      } catch (error) {
        stream.body.destroy()
        throw error
      }
      return stream.body
    },
    close() {
      isClosed = true
      for (const { stream } of subscriptions.all) stream.end()
    },
  }
}

/** The loop of this node. It runs while there are subscriptions. */
function openLoop(
  { database, clock, vault, logger, selectLiveSessions, selectSecretHashes }: LiveUpdatesContext,
  subjects: Subjects,
  subscriptions: Listeners<Subscription>,
): { start(): Promise<void> } {
  const events = follow(database, FOLLOWED_EVENTS)
  const payments = follow(database, FOLLOWED_PAYMENTS)
  let running: Promise<void> | null = null
  let ticks = 0

  async function run(): Promise<void> {
    while (subscriptions.all.size > 0) {
      await delay(TICK_MS)
      await tick(clock.now())
    }
    running = null
  }

  async function tick(now: Date): Promise<void> {
    if (ticks++ % SESSIONS_EVERY_TICKS === 0) await endOver(now)
    const [recorded, paid] = await Promise.all([events.next(now), payments.next(now)])
    await subjects.load([...recorded, ...paid.flatMap(sides)])
    for (const event of recorded) {
      const concerned = subjects.of(event)
      if (concerned === null) continue
      const to = [...subscriptions.of(concerned), ...subscriptions.admins].filter(({ audience }) =>
        isFor(audience, event.name, concerned),
      )
      if (to.length > 0 && isGenuineEvent(vault, event)) deliver(to, liveEvent(event))
    }
    const wanted = listenersOf(paid, subscriptions, subjects)
    for (const event of await paymentEvents(database, vault, [...wanted.keys()]))
      deliver(wanted.get(event.id) ?? [], event)
  }

  async function endOver(now: Date): Promise<void> {
    const all = [...subscriptions.all]
    const ids = new Set(all.flatMap(({ sessionId }) => sessionId ?? []))
    const platformIds = new Set(
      all.flatMap(({ audience }) => (audience.kind === 'platform' ? audience.platformId : [])),
    )
    const [live, hashes] = await Promise.all([
      ids.size === 0 ? new Set() : selectLiveSessions(database, [...ids], now),
      platformIds.size === 0 ? new Map() : selectSecretHashes(database, [...platformIds]),
    ])
    for (const { sessionId, secretHash, audience, openedAt, stream } of all) {
      const isReplaced =
        audience.kind === 'platform' && secretHash !== null && hashes.get(audience.platformId) !== secretHash
      const isOver = isReplaced || (sessionId !== null && !live.has(sessionId))
      if (isOver || performance.now() - openedAt > LONGEST_MS) stream.end()
    }
  }

  async function begin(): Promise<void> {
    const now = clock.now()
    await Promise.all([events.start(now), payments.start(now)])
    run().catch((error: unknown) => {
      running = null
      // What was read and not sent is sent when the clients resume.
      const reason = error instanceof DatabaseUnavailable ? { reason: error.message } : { err: error }
      logger.warn(reason, 'live updates failed; clients reconnect')
      for (const { stream } of subscriptions.all) stream.end()
    })
  }

  return {
    start() {
      // The loop serves all streams, so it does not share the connections of the party that opened the first one.
      running ??= asService(begin).catch((error: unknown) => {
        running = null
        throw error
      })
      return running
    },
  }
}

/** Who gets which event of these payments, by the event's id. Administrators get none: there may be thousands a second. */
function listenersOf(
  paid: readonly FollowedPayment[],
  subscriptions: Listeners<Subscription>,
  subjects: Subjects,
): Map<Uuid, readonly Subscription[]> {
  const wanted = new Map<Uuid, readonly Subscription[]>()
  for (const payment of paid) {
    for (const [side, eventId] of sidesOf(payment)) {
      const concerned = subjects.of(side)
      if (concerned === null) continue
      const to = subscriptions.of(concerned)
      if (to.length > 0) wanted.set(eventId, to)
    }
  }
  return wanted
}

function deliver(to: readonly Subscription[], event: LiveEvent): void {
  for (const { stream, waiting, resumed } of to) {
    if (waiting !== null) waiting.push(event)
    else if (!resumed.has(event.id)) send(stream, event)
  }
}

function send(stream: EventStream, { id, name, data }: LiveEvent): void {
  stream.send({ id: formatId('evt', id), name, data })
}

/** A platform's streams count together, because it has one secret. */
function credentialOf({ audience, sessionId }: Subscriber): string {
  return sessionId ?? (audience.kind === 'platform' ? audience.platformId : '')
}
