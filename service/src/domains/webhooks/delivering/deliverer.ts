import { isConnectionLost } from '../../../db/database.ts'
import { monotonicSeconds, systemClock } from '../../../kernel/clock.ts'
import { newUuid } from '../../../kernel/ids.ts'
import type { Tracing } from '../../../kernel/tracing.ts'
import type { DelivererContext, WebhooksContext, WebhookTargets } from '../context.ts'
import type { DeliveryOutcome } from './attempt.ts'
import { type FannedOut, fanOut } from './fan-out.ts'
import { selectPendingWork } from './fan-out-store.ts'
import { openThrottle } from './throttle.ts'
import { openWakeSignal } from './wake-signal.ts'
import { openWorkerPool } from './worker-pool.ts'
/** Fans events out and delivers them, on one node. */
export interface Deliverer {
  start(): void
  /** Events may have been queued: polls for them now if the deliverer sleeps. */
  wake(): void
  /**
   * Attempts every delivery that is due now, including events just recorded. Returns after 30 s; slow attempts
   * continue.
   */
  runDue(): Promise<void>
  /** Waits a few seconds for running attempts, aborts the rest, and releases all leases. */
  stop(): Promise<void>
}

export interface DelivererOptions extends WebhooksContext {
  readonly targets: WebhookTargets
  readonly tracing?: Tracing | null
  readonly random?: () => number
  /** Utilization of the payments' event loop, 0 to 1: payments have priority. */
  readonly utilization?: () => number
  readonly onAttempt?: (status: DeliveryOutcome['status']) => void
  /** Called with true before the last poll before a longer pause, which `wake` ends, and with false after it. */
  readonly onSleep?: (isAsleep: boolean) => void
  /** What other nodes queued and did not fan out, and retries, are found after this time at the latest; 1 s. */
  readonly sleepMs?: number
}

const POLL_MS = 100
const SLEEP_MS = 1_000
/** After this many polls without work the deliverer sleeps. */
const POLLS_BEFORE_SLEEP = 5
const NOTHING: FannedOut = { taken: 0, wasFull: false, platformIds: [] }
const AFTER_ERROR_MS = 1_000
/** Longer than the timeout of an attempt. */
const RUN_DUE_S = 30

export function openDeliverer(options: DelivererOptions): Deliverer {
  const context = contextOf(options)
  const signal = openWakeSignal()
  const workers = openWorkerPool(context, signal.wake)
  let isStopped = false
  let loop: Promise<void> = Promise.resolve()

  /** Fans out one batch and starts workers for endpoints with due work. */
  async function step(): Promise<Omit<FannedOut, 'platformIds'> & { readonly isIdle: boolean }> {
    const { database, clock } = context
    const { hasQueuedEvents, hasDueEndpoints } = await selectPendingWork(database, clock.now())
    const fannedOut = hasQueuedEvents ? await fanOut(database, clock.now()) : NOTHING
    workers.hasMore(fannedOut.platformIds)
    if (hasDueEndpoints || fannedOut.platformIds.length > 0) await workers.startWorkers()
    workers.closeIdle()
    return { ...fannedOut, isIdle: !hasQueuedEvents && !hasDueEndpoints && workers.size() === 0 }
  }

  async function run(): Promise<void> {
    let idleLooks = 0
    while (!isStopped) {
      try {
        const sleeps = idleLooks >= POLLS_BEFORE_SLEEP
        // Before the poll, so that no commit falls between the poll and the pause.
        options.onSleep?.(sleeps)
        const { wasFull, isIdle } = await step()
        idleLooks = isIdle ? idleLooks + 1 : 0
        if (!wasFull) await signal.wait(sleeps && isIdle ? (options.sleepMs ?? SLEEP_MS) : POLL_MS)
      } catch (error) {
        context.onError(error)
        await signal.wait(AFTER_ERROR_MS)
      }
    }
  }

  return {
    start() {
      loop = run()
    },
    wake() {
      signal.wake()
    },
    async runDue() {
      const deadlineS = monotonicSeconds() + RUN_DUE_S
      while (!isStopped && monotonicSeconds() < deadlineS) {
        const { taken } = await step()
        if (taken === 0 && workers.size() === 0) return
        await workers.finished()
      }
    },
    async stop() {
      isStopped = true
      signal.wake()
      context.throttle.close()
      await workers.stop()
      await loop
      // Workers that the loop's last step started.
      await workers.stop()
    },
  }
}

function contextOf(options: DelivererOptions): DelivererContext {
  const { logger } = options
  return {
    ...options,
    tracing: options.tracing ?? null,
    node: newUuid(options.clock.now()),
    wallClock: systemClock(),
    random: options.random ?? Math.random,
    throttle: openThrottle(options.utilization ?? (() => 0)),
    onAttempt: options.onAttempt ?? (() => undefined),
    onError(error) {
      if (isConnectionLost(error)) logger.warn('webhook deliveries wait: the database is unavailable')
      else logger.error({ err: error }, 'webhook delivery failed with an internal error')
    },
  }
}
