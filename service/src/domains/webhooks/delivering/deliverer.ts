import { isConnectionLost } from '../../../db/database.ts'
import { monotonicSeconds, systemClock } from '../../../kernel/clock.ts'
import { newUuid } from '../../../kernel/ids.ts'
import type { DelivererContext, WebhooksContext } from '../context.ts'
import type { Verdict } from '../sending/attempt.ts'
import { openBell } from './bell.ts'
import { type FannedOut, fanOut } from './fan-out.ts'
import { lookForWork } from './fan-out-store.ts'
import { openFleet } from './fleet.ts'
import { openThrottle } from './throttle.ts'

/** One node's part in telling platforms what happened. */
export interface Deliverer {
  start(): void
  /** Tries all that is due now, what was only just recorded included; what takes very long goes on afterwards. */
  runDue(): Promise<void>
  /** Finishes what runs, for some seconds at most, and lets everything go for other nodes. */
  stop(): Promise<void>
}

export interface DelivererOptions extends WebhooksContext {
  readonly random?: () => number
  /** How busy the event loop of payments is, 0 to 1: they come first. */
  readonly utilization?: () => number
  readonly onAttempt?: (status: Verdict['status']) => void
}

const POLL_MS = 100
const NOTHING: FannedOut = { taken: 0, wasFull: false, platformIds: [] }
const AFTER_ERROR_MS = 1_000
/** A receiver that hangs ends within its time-out. */
const RUN_DUE_S = 30

export function openDeliverer(options: DelivererOptions): Deliverer {
  const context = contextOf(options)
  const bell = openBell()
  const fleet = openFleet(context, bell.ring)
  let isStopped = false
  let loop: Promise<void> = Promise.resolve()

  /** Deals out and takes up once. */
  async function step(): Promise<Omit<FannedOut, 'platformIds'>> {
    const { database, clock } = context
    const { toDealOut, toTakeUp } = await lookForWork(database, clock.now())
    const dealt = toDealOut ? await fanOut(database, clock.now()) : NOTHING
    fleet.hasMore(dealt.platformIds)
    if (toTakeUp || dealt.platformIds.length > 0) await fleet.takeUp()
    fleet.closeIdle()
    return dealt
  }

  async function run(): Promise<void> {
    while (!isStopped) {
      try {
        const { wasFull } = await step()
        if (!wasFull) await bell.wait(POLL_MS)
      } catch (error) {
        context.onError(error)
        await bell.wait(AFTER_ERROR_MS)
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
        if (taken === 0 && fleet.size() === 0) return
        await fleet.settled()
      }
    },
    async stop() {
      isStopped = true
      bell.ring()
      context.throttle.close()
      await fleet.stop()
      await loop
      // Whoever was taken up in the loop's last step.
      await fleet.stop()
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
      if (isConnectionLost(error)) logger.warn('deliveries of webhooks wait for the database')
      else logger.error({ err: error }, 'a delivery of webhooks failed')
    },
  }
}
