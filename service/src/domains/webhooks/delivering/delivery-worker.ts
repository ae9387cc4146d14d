import { monotonicSeconds } from '../../../kernel/clock.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import type { WebhookTarget } from '../../parties/index.ts'
import type { DelivererContext } from '../context.ts'
import { type AttemptResult, type DeliveryOutcome, endAttemptSpan, signedHeaders } from './attempt.ts'
import { replaceChunks } from './backlog-store.ts'
import { decideOutcome } from './decide.ts'
import { type DeliveryBuffer, openDeliveryBuffer, type ReadyDelivery } from './delivery-buffer.ts'
import { type LeasedEndpoint, releaseEndpoint, renewLease } from './endpoint-store.ts'
import { type DueDelivery, type EndedAttempt, writeAttempts } from './outcome-store.ts'
import type { Sender } from './send.ts'
import { type ConcurrencyLimit, openConcurrencyLimit } from './throttle.ts'
import { openWakeSignal, type WakeSignal } from './wake-signal.ts'
/** Delivers the events of one platform, whose endpoint this node has leased, until nothing is due. */
export interface DeliveryWorker {
  readonly isFailing: boolean
  /** Its receiver has not responded for a while. */
  readonly isStalled: () => boolean
  /** Resolves when the endpoint is released; never rejects. */
  readonly done: Promise<void>
  /** More events were fanned out to the platform. */
  hasMore(): void
  /** Starts no more attempts, and aborts running ones after a grace period. */
  stop(): void
}

/** The state of one worker while it has the lease. It is not stored: the next worker reads what it needs again. */
interface Session {
  readonly context: DelivererContext
  readonly platformId: Uuid
  readonly sender: Sender
  readonly concurrency: ConcurrencyLimit
  readonly buffer: DeliveryBuffer
  readonly signal: WakeSignal
  readonly running: Set<Promise<void>>
  readonly abort: AbortController
  /** By the monotonic clock. At this moment the slot goes to another endpoint. */
  readonly endsAtS: number
  /** Whether the receiver was failing already when the endpoint was leased. */
  readonly beganFailing: boolean
  target: WebhookTarget | null
  /** Attempts whose outcomes are not written yet. */
  finished: EndedAttempt[]
  failingSince: Date | null
  pausedUntil: Date | null
  /** When the receiver last responded or, if no request was running, was sent one; by the monotonic clock. */
  respondedAtS: number
  /** Whether it waits for the throttle to let one more attempt begin. */
  isQueued: boolean
  isOver: boolean
}

/** Outcomes are written when this many are finished, or after this time. */
const WRITE_AT = 64
const WRITE_EVERY_MS = 100
/** While responses are slow, how often the database is queried for events that another node has fanned out. */
const RECHECK_EVERY_MS = 1_000
const SESSION_S = 10
/** A receiver that does not respond for this long is stalled. */
const STALLED_S = 1
/** After this a running attempt is aborted. It may have arrived; it is sent again. */
const STOP_GRACE_MS = 3_000

const NO_ADDRESS: DeliveryOutcome = {
  status: 'failed',
  responseStatus: null,
  error: 'The webhook_url was removed before this was delivered',
  isGone: false,
}
const NOT_VERIFIED: DeliveryOutcome = {
  status: 'failed',
  responseStatus: null,
  error: 'The event failed verification, so it was not sent',
  isGone: false,
}

/** The lease has expired, and another node has the endpoint now. */
class EndpointLost extends Error {}

export function startDeliveryWorker(
  context: DelivererContext,
  endpoint: LeasedEndpoint,
  sender: Sender,
): DeliveryWorker {
  const { platformId, failingSince } = endpoint
  const session: Session = {
    context,
    platformId,
    sender,
    concurrency: openConcurrencyLimit(failingSince !== null),
    buffer: openDeliveryBuffer(context, platformId),
    signal: openWakeSignal(),
    running: new Set(),
    abort: new AbortController(),
    endsAtS: monotonicSeconds() + SESSION_S,
    beganFailing: failingSince !== null,
    target: null,
    finished: [],
    failingSince,
    pausedUntil: null,
    respondedAtS: monotonicSeconds(),
    isQueued: false,
    isOver: false,
  }
  const done = work(session).catch((error: unknown) => {
    // The lease expires by itself; events whose outcomes were not written are sent again.
    session.isOver = true
    session.abort.abort()
    if (!(error instanceof EndpointLost)) context.onError(error)
  })
  return {
    isFailing: session.beganFailing,
    isStalled: () => session.running.size > 0 && monotonicSeconds() - session.respondedAtS > STALLED_S,
    done,
    hasMore() {
      session.buffer.mayHaveMore()
      session.signal.wake()
    },
    stop() {
      session.isOver = true
      const timer = setTimeout(() => session.abort.abort(), STOP_GRACE_MS)
      void done.finally(() => clearTimeout(timer))
      session.signal.wake()
    },
  }
}

async function work(session: Session): Promise<void> {
  let checkedAtS = monotonicSeconds()
  for (;;) {
    const isCheckDue = monotonicSeconds() - checkedAtS > RECHECK_EVERY_MS / 1_000
    if (isCheckDue) {
      checkedAtS = monotonicSeconds()
      session.buffer.mayHaveMore()
    }
    if (mayStartMore(session) && (isCheckDue || isLow(session))) await refill(session)
    startAttempts(session)
    if (isIdle(session) && session.finished.length === 0) break
    await waitForWork(session)
    if (session.finished.length > 0) await write(session)
  }
  await release(session)
}

/**
 * When a healthy receiver begins to fail, its worker ends after the running attempts: the next one takes a slot for
 * failing receivers.
 */
function mayStartMore({ isOver, pausedUntil, endsAtS, failingSince, beganFailing }: Session): boolean {
  const mustChangeSlots = failingSince !== null && !beganFailing
  return !isOver && pausedUntil === null && !mustChangeSlots && monotonicSeconds() < endsAtS
}

function isLow({ buffer, concurrency }: Session): boolean {
  return buffer.isLow(concurrency.current())
}

async function refill(session: Session): Promise<void> {
  const { context, platformId, buffer, concurrency } = session
  const now = context.clock.now()
  const target = await context.targets.read(context.database, context.vault, platformId, now)
  // The address has changed: failures of the previous receiver do not count for the new one.
  if (session.target !== null && session.target.url !== target?.url) session.failingSince = null
  session.target = target
  if (session.target === null || session.target.disabledAt !== null) {
    session.isOver = true
    return
  }
  const unverified = await buffer.refill(now, concurrency.current())
  if (unverified.length > 0) context.onError(unverifiedEvents(platformId, unverified.length))
  for (const delivery of unverified) {
    finish(session, delivery, session.target.url, { outcome: NOT_VERIFIED, timing: null })
  }
}

function unverifiedEvents(platformId: Uuid, count: number): Error {
  return new Error(
    `webhook events failed verification: platform ${formatId('plt', platformId)}, ${count} not sent`,
  )
}

/** Starts as many attempts as the concurrency limit and the throttle allow. */
function startAttempts(session: Session): void {
  const { running, concurrency, buffer, context } = session
  while (
    !session.isQueued &&
    mayStartMore(session) &&
    running.size < concurrency.current() &&
    buffer.hasNext()
  ) {
    if (context.throttle.isOpen()) begin(session)
    else {
      session.isQueued = true
      context.throttle.enter(() => {
        session.isQueued = false
        if (mayStartMore(session)) begin(session)
        startAttempts(session)
        if (isIdle(session)) session.signal.wake()
      })
    }
  }
}

function begin(session: Session): void {
  const { running, buffer, target } = session
  const delivery = buffer.next()
  if (delivery === undefined || target === null) return
  if (running.size === 0) session.respondedAtS = monotonicSeconds()
  const run: Promise<void> = attempt(session, target, delivery).finally(() => {
    running.delete(run)
    startAttempts(session)
    if (isIdle(session) || session.finished.length >= WRITE_AT || isLow(session)) session.signal.wake()
  })
  running.add(run)
}

function isIdle({ running, isQueued }: Session): boolean {
  return running.size === 0 && !isQueued
}

async function attempt(
  session: Session,
  { url, secrets }: WebhookTarget,
  delivery: ReadyDelivery,
): Promise<void> {
  const { context, sender, abort } = session
  if (url === null) return finish(session, delivery, null, { outcome: NO_ADDRESS, timing: null })
  let result: AttemptResult
  const { clock, wallClock, random, tracing } = context
  const [startedAt, signedAt, startedS] = [clock.now(), wallClock.now(), monotonicSeconds()]
  const { attempts, body, cause } = delivery
  const eventId = formatId('evt', delivery.id)
  const span = tracing?.root('webhook delivery', { kind: 'client', cause }) ?? null
  try {
    const headers = signedHeaders(secrets, eventId, body, signedAt, span)
    result = await sender.send({ url, headers, body }, abort.signal)
  } catch (error) {
    // Aborted: whether it arrived is unknown, so no outcome is written and it stays due.
    if (!abort.signal.aborted) context.onError(error)
    session.isOver = true
    endAttemptSpan(span, { eventId, attempts }, null)
    return
  }
  endAttemptSpan(span, { eventId, attempts }, result)
  const ended = { now: clock.now(), realNow: wallClock.now(), random: random() }
  const outcome = decideOutcome(result, { attempts: attempts + 1, ...ended })
  const timing = { startedAt, signedAt, durationMs: (monotonicSeconds() - startedS) * 1_000 }
  finish(session, delivery, url, { outcome, timing })
  adaptTo(session, url, outcome)
}

function finish(
  session: Session,
  delivery: DueDelivery,
  url: string | null,
  { outcome, timing }: Pick<EndedAttempt, 'outcome' | 'timing'>,
): void {
  const endedAt = session.context.clock.now()
  session.finished.push({ id: delivery.id, event: delivery.event, url, endedAt, outcome, timing })
  session.buffer.done(delivery)
  if (timing !== null) session.context.onAttempt(outcome.status)
}

/** Adapts concurrency and pauses to the receiver's response, unless the address has changed since the request. */
function adaptTo(session: Session, url: string, outcome: DeliveryOutcome): void {
  session.respondedAtS = monotonicSeconds()
  if (url !== session.target?.url) return
  if (outcome.status === 'delivered') {
    session.concurrency.succeeded()
    session.failingSince = null
    return
  }
  session.concurrency.failed()
  session.failingSince ??= session.context.clock.now()
  if (outcome.status === 'pending' && outcome.pausedUntil !== null) session.pausedUntil = outcome.pausedUntil
  if (outcome.status === 'failed' && outcome.isGone) session.isOver = true
}

async function waitForWork(session: Session): Promise<void> {
  const { finished, signal } = session
  if (isIdle(session) || finished.length >= WRITE_AT || (mayStartMore(session) && isLow(session))) return
  await signal.wait(WRITE_EVERY_MS)
}

/** Writes the outcomes of finished attempts and renews the lease. A worker that has lost its lease writes nothing. */
async function write(session: Session): Promise<void> {
  const { context, platformId, buffer } = session
  const ended = session.finished
  session.finished = []
  const chunks = buffer.takeChunks()
  const gone = ended.find(({ outcome }) => outcome.status === 'failed' && outcome.isGone)
  // Before the outcomes: if the node crashes in between, the event is sent again; the other order would leave the
  // address enabled.
  if (gone !== undefined && gone.url !== null) {
    await context.targets.disable(context.database, platformId, gone.url, gone.endedAt)
  }
  await context.database.inTransaction(async tx => {
    // If the database's machine loses this write, the events are sent again under the same ids.
    await tx.query(`set local synchronous_commit = off`)
    if (!(await renewLease(tx, platformId, context.node))) throw new EndpointLost()
    await Promise.all([writeAttempts(tx, platformId, ended), replaceChunks(tx, platformId, chunks)])
  })
  buffer.written(ended.map(({ id }) => id))
}

async function release({ context, platformId, target, failingSince, pausedUntil }: Session): Promise<void> {
  const { database, clock, node } = context
  const url = target?.url ?? null
  await database.inTransaction(tx =>
    releaseEndpoint(tx, { platformId, node, now: clock.now(), url, failingSince, pausedUntil }),
  )
}
