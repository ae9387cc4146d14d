import { randomInt } from 'node:crypto'
import type { EventName } from '@batua/contract'
import type { Queryable } from '../../db/database.ts'
import { AppError } from '../../kernel/app-error.ts'
import type { Clock } from '../../kernel/clock.ts'
import { formatId, type Uuid } from '../../kernel/ids.ts'
import { disableWebhookUrl, readWebhookTarget } from '../parties/index.ts'
import type { AttemptSlots } from './attempt-slots.ts'
import type { WebhooksContext } from './context.ts'
import { scheduleWork } from './delivering/endpoint-store.ts'
import type { Delivery } from './delivery-record.ts'
import { type AttemptEnded, claimDelivery, writeAttempt } from './delivery-store.ts'
import type { AttemptResult, OutgoingWebhook } from './sending/attempt.ts'
import { decideAttempt } from './sending/decide.ts'
import { openSender } from './sending/send.ts'
import { signedHeaders } from './sending/sign.ts'

/** What an attempt is made with that somebody asks for and waits for. */
export interface RequestedAttempts extends WebhooksContext {
  readonly slots: AttemptSlots
  /** Aborted when the service stops and may wait for receivers no longer. */
  readonly stopping?: AbortSignal
}

/** An attempt that holds a slot. */
export interface AttemptInSlot extends RequestedAttempts {
  /** Aborted when the slot is needed for somebody who has none. */
  readonly givesWay: AbortSignal
}

export interface Receiver {
  readonly platformId: Uuid
  readonly url: string
  /** The first is the one in use. */
  readonly secrets: readonly string[]
}

/** Where a platform is told, or the reason why it is not. */
export async function requireReceiver(context: WebhooksContext, platformId: Uuid): Promise<Receiver> {
  const { database, vault, clock } = context
  const target = await readWebhookTarget(database, vault, platformId, clock.now())
  if (target === null || target.url === null) {
    throw new AppError('conflict', 'No webhook_url is set; set one on the platform, then try again')
  }
  if (target.disabledAt !== null) {
    const message =
      'The receiver answered 410 Gone, so nothing is sent to it; set webhook_url again, be it the same'
    const details = { webhook_disabled_at: target.disabledAt.toISOString() }
    throw new AppError('conflict', message, { details })
  }
  return { platformId, url: target.url, secrets: target.secrets }
}

/** An event that is to be sent. */
export interface Sending {
  readonly id: Uuid
  readonly name: EventName
  /** Its JSON text. */
  readonly body: string
  /** How often it was tried before. */
  readonly attempts: number
}

/** Longer than any attempt takes. A node that dies in the middle of one leaves it to the deliverer after this. */
const HELD_MS = 60_000

/** Holds a delivery for an attempt that follows the commit; answers how often it was tried before. */
export async function holdForAttempt(
  tx: Queryable,
  { platformId, url }: Receiver,
  { id, name }: Pick<Sending, 'id' | 'name'>,
  now: Date,
): Promise<number> {
  const until = new Date(now.getTime() + HELD_MS)
  // The endpoint before its deliveries, as whoever delivers locks them.
  await scheduleWork(tx, [platformId], until)
  return claimDelivery(tx, platformId, { id, event: name, url, until })
}

/** Makes one attempt, outside of any transaction, and writes what it came to. null: the delivery was forgotten meanwhile. */
export async function sendNow(
  context: AttemptInSlot,
  receiver: Receiver,
  { id, body, attempts }: Sending,
): Promise<Delivery | null> {
  const { database, clock } = context
  const { url, secrets, platformId } = receiver
  const headers = signedHeaders(secrets, formatId('evt', id), body, realTime(clock))
  const result = await sendOnce(context, { url, headers, body })
  const endedAt = clock.now()
  const ended = { now: endedAt, realNow: realTime(clock), random: random() }
  const verdict = decideAttempt(result, { attempts: attempts + 1, ...ended })
  return database.inTransaction(tx => writeEnd(tx, platformId, { id, url, verdict, endedAt }))
}

async function sendOnce(
  { mode, stopping, givesWay }: AttemptInSlot,
  webhook: OutgoingWebhook,
): Promise<AttemptResult> {
  const sender = openSender({ mode, maxConnections: 1 })
  const broken = stopping === undefined ? givesWay : AbortSignal.any([stopping, givesWay])
  try {
    return await sender.send(webhook, broken)
  } catch {
    // What is pending is held for this attempt, and then the deliverer's.
    const why = givesWay.aborted
      ? 'Your receiver did not answer yet and others wait, so the attempt was broken off'
      : 'This server is shutting down and broke the attempt off'
    const message = `${why}; look whether it was delivered, then ask again`
    throw new AppError('service_unavailable', message, { headers: { 'retry-after': '1' } })
  } finally {
    await sender.close()
  }
}

/** The order of locks: the platform, its endpoint, the delivery. */
async function writeEnd(tx: Queryable, platformId: Uuid, ended: AttemptEnded): Promise<Delivery | null> {
  const { url, verdict, endedAt } = ended
  if (verdict.status === 'failed' && verdict.isGone) await disableWebhookUrl(tx, platformId, url, endedAt)
  if (verdict.status === 'pending') await scheduleWork(tx, [platformId], verdict.nextAttemptAt)
  return writeAttempt(tx, platformId, ended)
}

/** What receivers' clocks show, which is never the sandbox's moved time: signatures and their dates go by it. */
function realTime(clock: Clock): Date {
  return new Date(clock.now().getTime() - clock.offsetMs())
}

const FINE = 2 ** 32

/** In [0, 1). */
function random(): number {
  return randomInt(FINE) / FINE
}
