import type { Database, Queryable } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { receivedEventOf, sentEventOf } from '../../../operations/payment-fact.ts'
import { insertBacklog } from './backlog-store.ts'
import { scheduleWork } from './endpoint-store.ts'
import {
  insertDeliveries,
  type QueuedEvent,
  type QueuedPayments,
  selectPlatformsWithUrl,
  takeEvents,
  takePayments,
} from './fan-out-store.ts'

/** How much is fanned out in one transaction. */
export interface FanOutLimits {
  readonly commits: number
  readonly events: number
}

const LIMITS: FanOutLimits = { commits: 200, events: 1_000 }

export interface FannedOut {
  /** The number of commits and events that were fanned out. */
  readonly taken: number
  /** Whether more may wait. */
  readonly wasFull: boolean
  /** The platforms that have new deliveries. */
  readonly platformIds: readonly Uuid[]
}

/**
 * Fans queued events out to the platforms that have a webhook_url: payments' events into their backlogs, where an event
 * is sixteen bytes, all others as rows of deliveries. One transaction removes an event from the queue and inserts its
 * delivery, so a crash neither loses nor duplicates it.
 */
export async function fanOut(database: Database, now: Date, limits = LIMITS): Promise<FannedOut> {
  return database.inTransaction(async tx => {
    // If the database's machine loses this commit, it loses all of it, and the events are fanned out again.
    await tx.query(`set local synchronous_commit = off`)
    const [commits, events] = await Promise.all([
      takePayments(tx, limits.commits),
      takeEvents(tx, limits.events),
    ])
    const taken = commits.length + events.length
    const platformIds = taken > 0 ? await insertFor(tx, commits, events, now) : []
    return { taken, platformIds, wasFull: commits.length >= limits.commits || events.length >= limits.events }
  })
}

async function insertFor(
  tx: Queryable,
  commits: readonly QueuedPayments[],
  events: readonly QueuedEvent[],
  now: Date,
): Promise<readonly Uuid[]> {
  const concerned = new Set<Uuid>(events.map(({ platformId }) => platformId))
  for (const { platforms } of commits) for (const id of platforms) concerned.add(id)
  const withUrl = await selectPlatformsWithUrl(tx, [...concerned])
  const backlog = paymentsByPlatform(commits, withUrl)
  const deliveries = events.filter(({ platformId }) => withUrl.has(platformId))
  await Promise.all([insertBacklog(tx, backlog), insertDeliveries(tx, deliveries, now)])
  const withWork = new Set([...backlog.keys(), ...deliveries.map(({ platformId }) => platformId)])
  await scheduleWork(tx, [...withWork], now)
  return [...withWork]
}

/** The two events of each payment, by the platform that receives them. */
function paymentsByPlatform(
  commits: readonly QueuedPayments[],
  withUrl: ReadonlySet<Uuid>,
): Map<Uuid, Uuid[]> {
  const byPlatform = new Map<Uuid, Uuid[]>()
  const add = (platformId: Uuid, eventId: Uuid) => {
    if (!withUrl.has(platformId)) return
    const ids = byPlatform.get(platformId)
    if (ids === undefined) byPlatform.set(platformId, [eventId])
    else ids.push(eventId)
  }
  for (const { platforms, payments } of commits) {
    if (!platforms.some(platformId => withUrl.has(platformId))) continue
    for (const { id, payer, payee } of payments()) {
      add(payer, sentEventOf(id))
      add(payee, receivedEventOf(id))
    }
  }
  return byPlatform
}
