import { randomInt } from 'node:crypto'
import type { EventName } from '@batua/contract'
import { currentOrigin, type Queryable } from '../../db/database.ts'
import { AppError } from '../../kernel/app-error.ts'
import { type Clock, monotonicSeconds } from '../../kernel/clock.ts'
import { formatId, type Uuid } from '../../kernel/ids.ts'
import { disableWebhookUrl, readWebhookTarget } from '../parties/index.ts'
import type { AttemptSlots } from './attempt-slots.ts'
import type { WebhooksContext } from './context.ts'
import {
  type AttemptResult,
  endAttemptSpan,
  type OutgoingWebhook,
  signedHeaders,
} from './delivering/attempt.ts'
import { decideOutcome } from './delivering/decide.ts'
import { scheduleWork } from './delivering/endpoint-store.ts'
import { openSender } from './delivering/send.ts'
import type { Delivery } from './delivery-record.ts'
import { claimDelivery, type ManualAttempt, writeAttempt } from './delivery-store.ts'

/** The context of attempts that a platform requests and waits for. */
export interface RequestedAttempts extends WebhooksContext {
  readonly slots: AttemptSlots
  /** Aborted when the service stops. */
  readonly stopping?: AbortSignal
}

/** The context of an attempt that has a slot. */
export interface AttemptInSlot extends RequestedAttempts {
  /** Aborted when another platform needs the slot. */
  readonly signal: AbortSignal
}

export interface Receiver {
  readonly platformId: Uuid
  readonly url: string
  /** The first is the one in use. */
  readonly secrets: readonly string[]
}

/** The platform's receiver; refuses if there is none or it is disabled. */
export async function requireReceiver(context: WebhooksContext, platformId: Uuid): Promise<Receiver> {
  const { database, vault, clock } = context
  const target = await readWebhookTarget(database, vault, platformId, clock.now())
  if (target === null || target.url === null) {
    throw new AppError('conflict', 'No webhook_url is set; set one on the platform, then try again')
  }
  if (target.disabledAt !== null) {
    const message =
      'The receiver responded with 410 Gone, so nothing is sent to it; set webhook_url again, even to the same address'
    const details = { webhook_disabled_at: target.disabledAt.toISOString() }
    throw new AppError('conflict', message, { details })
  }
  return { platformId, url: target.url, secrets: target.secrets }
}

/** An event to send. */
export interface Sending {
  readonly id: Uuid
  readonly name: EventName
  /** Its JSON text. */
  readonly body: string
  /** How many attempts were made before. */
  readonly attempts: number
}

/** Longer than any attempt takes. If the node crashes during the attempt, the deliverer retries it after this. */
const CLAIM_MS = 60_000

/** Claims a delivery for an attempt after the commit; returns how many attempts were made before. */
export async function claimForAttempt(
  tx: Queryable,
  { platformId, url }: Receiver,
  { id, name }: Pick<Sending, 'id' | 'name'>,
  now: Date,
): Promise<number> {
  const until = new Date(now.getTime() + CLAIM_MS)
  // Locks the endpoint before its deliveries, as delivery workers do.
  await scheduleWork(tx, [platformId], until)
  return claimDelivery(tx, platformId, { id, event: name, url, until })
}

/** Makes one attempt, outside any transaction, and writes its outcome. null: the delivery was deleted meanwhile. */
export async function sendNow(
  context: AttemptInSlot,
  receiver: Receiver,
  { id, body, attempts }: Sending,
): Promise<Delivery | null> {
  const { database, clock } = context
  const { url, secrets, platformId } = receiver
  const [startedAt, signedAt, startedS] = [clock.now(), realTime(clock), monotonicSeconds()]
  const eventId = formatId('evt', id)
  const span = currentOrigin().span?.child('webhook delivery', 'client') ?? null
  const headers = signedHeaders(secrets, eventId, body, signedAt, span)
  const result = await sendOnce(context, { url, headers, body }).catch((error: unknown) => {
    endAttemptSpan(span, { eventId, attempts }, null)
    throw error
  })
  endAttemptSpan(span, { eventId, attempts }, result)
  const timing = { startedAt, signedAt, durationMs: (monotonicSeconds() - startedS) * 1_000 }
  const endedAt = clock.now()
  const ended = { now: endedAt, realNow: realTime(clock), random: random() }
  const outcome = decideOutcome(result, { attempts: attempts + 1, ...ended })
  return database.inTransaction(tx => writeEnd(tx, platformId, { id, url, outcome, endedAt, timing }))
}

async function sendOnce(
  { mode, stopping, signal }: AttemptInSlot,
  webhook: OutgoingWebhook,
): Promise<AttemptResult> {
  const sender = openSender({ mode, maxConnections: 1 })
  const aborted = stopping === undefined ? signal : AbortSignal.any([stopping, signal])
  try {
    return await sender.send(webhook, aborted)
  } catch {
    // A pending delivery stays claimed until the claim expires; then the deliverer retries it.
    const why = signal.aborted
      ? 'Your receiver has not responded yet and others wait, so the attempt was aborted'
      : 'This server is shutting down and aborted the attempt'
    const message = `${why}; check whether it was delivered, then try again`
    throw new AppError('service_unavailable', message, { headers: { 'retry-after': '1' } })
  } finally {
    await sender.close()
  }
}

/** The order of locks: the platform, its endpoint, the delivery. */
async function writeEnd(tx: Queryable, platformId: Uuid, ended: ManualAttempt): Promise<Delivery | null> {
  const { url, outcome, endedAt } = ended
  if (outcome.status === 'failed' && outcome.isGone) await disableWebhookUrl(tx, platformId, url, endedAt)
  if (outcome.status === 'pending') await scheduleWork(tx, [platformId], outcome.nextAttemptAt)
  return writeAttempt(tx, platformId, ended)
}

/** The real time, which receivers' clocks show, without the offset of the sandbox's test clock. */
function realTime(clock: Clock): Date {
  return new Date(clock.now().getTime() - clock.offsetMs())
}

const FINE = 2 ** 32

/** In [0, 1). */
function random(): number {
  return randomInt(FINE) / FINE
}
