import { isConnectionLost } from '../../../db/database.ts'
import { monotonicSeconds, systemClock } from '../../../kernel/clock.ts'
import { newUuid } from '../../../kernel/ids.ts'
import type { DelivererContext, WebhooksContext } from '../context.ts'
import type { DeliveryOutcome } from '../sending/attempt.ts'
import { type FannedOut, fanOut } from './fan-out.ts'
import { selectPendingWork } from './fan-out-store.ts'
import { openThrottle } from './throttle.ts'
import { openWakeSignal } from './wake-signal.ts'
import { openWorkerPool } from './worker-pool.ts'
/** Fans events out and delivers them, on one node. */
export interface Deliverer {
  start(): void
  /** Attempts every delivery that is due now, including events just recorded. Returns after 30 s; slow attempts continue. */
  runDue(): Promise<void>
  /** Waits a few seconds for running attempts, aborts the rest, and releases all leases. */
  stop(): Promise<void>
}

export interface DelivererOptions extends WebhooksContext {
  readonly random?: () => number
  /** Utilization of the payments' event loop, 0 to 1: payments have priority. */
  readonly utilization?: () => number
  readonly onAttempt?: (status: DeliveryOutcome['status']) => void
}

const POLL_MS = 100
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
  async function step(): Promise<Omit<FannedOut, 'platformIds'>> {
    const { database, clock } = context
    const { hasQueuedEvents, hasDueEndpoints } = await selectPendingWork(database, clock.now())
    const fannedOut = hasQueuedEvents ? await fanOut(database, clock.now()) : NOTHING
    workers.hasMore(fannedOut.platformIds)
    if (hasDueEndpoints || fannedOut.platformIds.length > 0) await workers.startWorkers()
    workers.closeIdle()
    return fannedOut
  }

  async function run(): Promise<void> {
    while (!isStopped) {
      try {
        const { wasFull } = await step()
        if (!wasFull) await signal.wait(POLL_MS)
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
