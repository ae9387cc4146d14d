import type { Database, Queryable } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { receivedEventOf, sentEventOf } from '../../../operations/payment-event.ts'
import { insertBacklog } from './backlog-store.ts'
import { scheduleWork } from './endpoint-store.ts'
import {
  insertDeliveries,
  type QueuedEvent,
  type QueuedPayments,
  selectTold,
  takeEvents,
  takePayments,
} from './fan-out-store.ts'

/** How much is dealt out in one transaction. */
export interface FanOutLimits {
  readonly commits: number
  readonly events: number
}

const LIMITS: FanOutLimits = { commits: 200, events: 1_000 }

export interface FannedOut {
  /** How many commits and events. */
  readonly taken: number
  /** Whether more may wait. */
  readonly wasFull: boolean
  /** Who has something to be told now. */
  readonly platformIds: readonly Uuid[]
}

/**
 * Deals what happened out to the platforms that have an address for it: payments into their backlogs, where an event is
 * sixteen bytes, all else as deliveries. One transaction; nothing is told twice or forgotten, whoever dies in between.
 */
export async function fanOut(database: Database, now: Date, limits = LIMITS): Promise<FannedOut> {
  return database.inTransaction(async tx => {
    // If it is lost with the database's machine, all of it is, and it is dealt out again.
    await tx.query(`set local synchronous_commit = off`)
    const [commits, events] = await Promise.all([
      takePayments(tx, limits.commits),
      takeEvents(tx, limits.events),
    ])
    const taken = commits.length + events.length
    const platformIds = taken > 0 ? await deal(tx, commits, events, now) : []
    return { taken, platformIds, wasFull: commits.length >= limits.commits || events.length >= limits.events }
  })
}

async function deal(
  tx: Queryable,
  commits: readonly QueuedPayments[],
  events: readonly QueuedEvent[],
  now: Date,
): Promise<readonly Uuid[]> {
  const concerned = new Set<Uuid>(events.map(({ platformId }) => platformId))
  for (const { platforms } of commits) for (const id of platforms) concerned.add(id)
  const told = await selectTold(tx, [...concerned])
  const backlog = paymentsByPlatform(commits, told)
  const deliveries = events.filter(({ platformId }) => told.has(platformId))
  await Promise.all([insertBacklog(tx, backlog), insertDeliveries(tx, deliveries, now)])
  const withWork = new Set([...backlog.keys(), ...deliveries.map(({ platformId }) => platformId)])
  await scheduleWork(tx, [...withWork], now)
  return [...withWork]
}

/** The two events of each payment, by whom they are for. */
function paymentsByPlatform(commits: readonly QueuedPayments[], told: ReadonlySet<Uuid>): Map<Uuid, Uuid[]> {
  const byPlatform = new Map<Uuid, Uuid[]>()
  const add = (platformId: Uuid, eventId: Uuid) => {
    if (!told.has(platformId)) return
    const ids = byPlatform.get(platformId)
    if (ids === undefined) byPlatform.set(platformId, [eventId])
    else ids.push(eventId)
  }
  for (const { platforms, payments } of commits) {
    if (!platforms.some(platformId => told.has(platformId))) continue
    for (const { id, payer, payee } of payments()) {
      add(payer, sentEventOf(id))
      add(payee, receivedEventOf(id))
    }
  }
  return byPlatform
}
