import { monotonicSeconds } from '../../../kernel/clock.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { disableWebhookUrl, readWebhookTarget, type WebhookTarget } from '../../parties/index.ts'
import type { DelivererContext } from '../context.ts'
import type { AttemptResult, Verdict } from '../sending/attempt.ts'
import { decideAttempt } from '../sending/decide.ts'
import type { Sender } from '../sending/send.ts'
import { signedHeaders } from '../sending/sign.ts'
import { replaceChunks } from './backlog-store.ts'
import { type Bell, openBell } from './bell.ts'
import { holdEndpoint, releaseEndpoint, type TakenEndpoint } from './endpoint-store.ts'
import { type Load, openLoad } from './load.ts'
import { type Outcome, writeOutcomes } from './outcome-store.ts'
import { openPace, type Pace } from './pace.ts'
import type { Parcel, ReadyParcel } from './parcel.ts'

/** Delivers for one platform, whose endpoint this node has taken, until nothing is due there. */
export interface Courier {
  readonly isFailing: boolean
  /** Its receiver has answered nothing for a while. */
  readonly isStalled: () => boolean
  /** Resolves when the endpoint is let go; never rejects. */
  readonly done: Promise<void>
  /** More was dealt out for the platform. */
  hasMore(): void
  /** Starts no more attempts, and lets those that run end for some time. */
  stop(): void
}

/** One courier's turn. What it knows is lost with it and read again by the next. */
interface Shift {
  readonly context: DelivererContext
  readonly platformId: Uuid
  readonly sender: Sender
  readonly pace: Pace
  readonly load: Load
  readonly bell: Bell
  readonly running: Set<Promise<void>>
  readonly abort: AbortController
  /** By the monotonic clock: then others may have the slot. */
  readonly endsAtS: number
  /** Whether its receiver failed already when it was taken. */
  readonly beganFailing: boolean
  target: WebhookTarget | null
  /** What attempts came to and is not written yet. */
  finished: Outcome[]
  failingSince: Date | null
  pausedUntil: Date | null
  /** When the receiver last answered or, after a break, was asked; by the monotonic clock. */
  heardAtS: number
  /** Waits for its turn to begin one more. */
  isQueued: boolean
  isOver: boolean
}

/** Outcomes are written when so many have come together, or after this time. */
const WRITE_AT = 64
const WRITE_EVERY_MS = 100
/** Among slow answers the database is asked so often whether another node has dealt out more. */
const LOOK_AGAIN_MS = 1_000
const SHIFT_S = 10
/** A receiver that says nothing for so long is stalled. */
const STALLED_S = 1
/** What is broken off after this is unknown to have arrived and is sent again. */
const STOP_GRACE_MS = 3_000

const NO_ADDRESS: Verdict = {
  status: 'failed',
  responseStatus: null,
  error: 'The webhook_url was removed before this was delivered',
  isGone: false,
}
const SPOILT: Verdict = {
  status: 'failed',
  responseStatus: null,
  error: 'The event is not as the service recorded it',
  isGone: false,
}

/** Another node has the endpoint now, because this one was silent for too long. */
class EndpointLost extends Error {}

export function startCourier(context: DelivererContext, endpoint: TakenEndpoint, sender: Sender): Courier {
  const { platformId, failingSince } = endpoint
  const shift: Shift = {
    context,
    platformId,
    sender,
    pace: openPace(failingSince !== null),
    load: openLoad(context, platformId),
    bell: openBell(),
    running: new Set(),
    abort: new AbortController(),
    endsAtS: monotonicSeconds() + SHIFT_S,
    beganFailing: failingSince !== null,
    target: null,
    finished: [],
    failingSince,
    pausedUntil: null,
    heardAtS: monotonicSeconds(),
    isQueued: false,
    isOver: false,
  }
  const done = work(shift).catch((error: unknown) => {
    // The lease runs out by itself, and what was not written is sent again.
    shift.isOver = true
    shift.abort.abort()
    if (!(error instanceof EndpointLost)) context.onError(error)
  })
  return {
    isFailing: shift.beganFailing,
    isStalled: () => shift.running.size > 0 && monotonicSeconds() - shift.heardAtS > STALLED_S,
    done,
    hasMore() {
      shift.load.mayHaveMore()
      shift.bell.ring()
    },
    stop() {
      shift.isOver = true
      const timer = setTimeout(() => shift.abort.abort(), STOP_GRACE_MS)
      void done.finally(() => clearTimeout(timer))
      shift.bell.ring()
    },
  }
}

async function work(shift: Shift): Promise<void> {
  let lookedAtS = monotonicSeconds()
  for (;;) {
    const looksAgain = monotonicSeconds() - lookedAtS > LOOK_AGAIN_MS / 1_000
    if (looksAgain) {
      lookedAtS = monotonicSeconds()
      shift.load.mayHaveMore()
    }
    if (takesMore(shift) && (looksAgain || isLow(shift))) await refill(shift)
    pump(shift)
    if (isIdle(shift) && shift.finished.length === 0) break
    await untilNeeded(shift)
    if (shift.finished.length > 0) await write(shift)
  }
  await release(shift)
}

/** A receiver that begins to fail goes on in the slots of those that do, once what it has was answered. */
function takesMore({ isOver, pausedUntil, endsAtS, failingSince, beganFailing }: Shift): boolean {
  const isSpent = failingSince !== null && !beganFailing
  return !isOver && pausedUntil === null && !isSpent && monotonicSeconds() < endsAtS
}

function isLow({ load, pace }: Shift): boolean {
  return load.isLow(pace.concurrency())
}

async function refill(shift: Shift): Promise<void> {
  const { context, platformId, load, pace } = shift
  const now = context.clock.now()
  const target = await readWebhookTarget(context.database, context.vault, platformId, now)
  // Another address: what the one before did is not held against it.
  if (shift.target !== null && shift.target.url !== target?.url) shift.failingSince = null
  shift.target = target
  if (shift.target === null || shift.target.disabledAt !== null) {
    shift.isOver = true
    return
  }
  const spoilt = await load.refill(now, pace.concurrency())
  if (spoilt.length > 0) context.onError(new Error('events to be delivered are not as they were recorded'))
  for (const parcel of spoilt) finish(shift, parcel, shift.target.url, SPOILT)
}

/** Starts as many attempts as the receiver is given at once and the node has time for. */
function pump(shift: Shift): void {
  const { running, pace, load, context } = shift
  while (!shift.isQueued && takesMore(shift) && running.size < pace.concurrency() && load.hasNext()) {
    if (context.throttle.isOpen()) begin(shift)
    else {
      shift.isQueued = true
      context.throttle.enter(() => {
        shift.isQueued = false
        if (takesMore(shift)) begin(shift)
        pump(shift)
        if (isIdle(shift)) shift.bell.ring()
      })
    }
  }
}

function begin(shift: Shift): void {
  const { running, load, target } = shift
  const parcel = load.next()
  if (parcel === undefined || target === null) return
  if (running.size === 0) shift.heardAtS = monotonicSeconds()
  const run: Promise<void> = attempt(shift, target, parcel).finally(() => {
    running.delete(run)
    pump(shift)
    if (isIdle(shift) || shift.finished.length >= WRITE_AT || isLow(shift)) shift.bell.ring()
  })
  running.add(run)
}

function isIdle({ running, isQueued }: Shift): boolean {
  return running.size === 0 && !isQueued
}

async function attempt(shift: Shift, { url, secrets }: WebhookTarget, parcel: ReadyParcel): Promise<void> {
  const { context, sender, abort } = shift
  if (url === null) return finish(shift, parcel, null, NO_ADDRESS)
  let result: AttemptResult
  try {
    const headers = signedHeaders(secrets, formatId('evt', parcel.id), parcel.body, context.wallClock.now())
    result = await sender.send({ url, headers, body: parcel.body }, abort.signal)
  } catch (error) {
    // Broken off: nothing is known of it, so it counts for nothing and stays due.
    if (!abort.signal.aborted) context.onError(error)
    shift.isOver = true
    return
  }
  const { clock, wallClock, random } = context
  const ended = { now: clock.now(), realNow: wallClock.now(), random: random() }
  const verdict = decideAttempt(result, { attempts: parcel.attempts + 1, ...ended })
  finish(shift, parcel, url, verdict)
  heed(shift, url, verdict)
}

function finish(shift: Shift, parcel: Parcel, url: string | null, verdict: Verdict): void {
  const endedAt = shift.context.clock.now()
  const wasTried = verdict !== NO_ADDRESS && verdict !== SPOILT
  shift.finished.push({ id: parcel.id, event: parcel.event, url, endedAt, verdict, wasTried })
  shift.load.done(parcel)
  if (wasTried) shift.context.onAttempt(verdict.status)
}

/** What a receiver's answer means for what it gets next, unless another one has taken its place meanwhile. */
function heed(shift: Shift, url: string, verdict: Verdict): void {
  shift.heardAtS = monotonicSeconds()
  if (url !== shift.target?.url) return
  if (verdict.status === 'delivered') {
    shift.pace.succeeded()
    shift.failingSince = null
    return
  }
  shift.pace.failed()
  shift.failingSince ??= shift.context.clock.now()
  if (verdict.status === 'pending' && verdict.pausedUntil !== null) shift.pausedUntil = verdict.pausedUntil
  if (verdict.status === 'failed' && verdict.isGone) shift.isOver = true
}

async function untilNeeded(shift: Shift): Promise<void> {
  const { finished, bell } = shift
  if (isIdle(shift) || finished.length >= WRITE_AT || (takesMore(shift) && isLow(shift))) return
  await bell.wait(WRITE_EVERY_MS)
}

/** Writes what is finished and renews the lease; without it nothing may be written any more. */
async function write(shift: Shift): Promise<void> {
  const { context, platformId, load } = shift
  const outcomes = shift.finished
  shift.finished = []
  const chunks = load.takeChunks()
  const gone = outcomes.find(({ verdict }) => verdict.status === 'failed' && verdict.isGone)
  // First: who dies in between leaves the event to be sent again, and not an address that nobody knows is gone.
  if (gone !== undefined && gone.url !== null) {
    await disableWebhookUrl(context.database, platformId, gone.url, gone.endedAt)
  }
  await context.database.inTransaction(async tx => {
    // If it is lost with the database's machine, it is sent again, and the receiver knows it by its id.
    await tx.query(`set local synchronous_commit = off`)
    if (!(await holdEndpoint(tx, platformId, context.node))) throw new EndpointLost()
    await Promise.all([writeOutcomes(tx, platformId, outcomes), replaceChunks(tx, platformId, chunks)])
  })
  load.written(outcomes.map(({ id }) => id))
}

async function release({ context, platformId, target, failingSince, pausedUntil }: Shift): Promise<void> {
  const { database, clock, node } = context
  const url = target?.url ?? null
  await database.inTransaction(tx =>
    releaseEndpoint(tx, { platformId, node, now: clock.now(), url, failingSince, pausedUntil }),
  )
}
