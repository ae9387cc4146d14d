import type { Uuid } from '../../../kernel/ids.ts'
import type { DelivererContext } from '../context.ts'
import { type Courier, startCourier } from './courier.ts'
import { takeEndpoints } from './endpoint-store.ts'
import { openSenders } from './senders.ts'

/** This node's couriers. */
export interface Fleet {
  /** Starts couriers for endpoints that have something to do, as many as there are slots for. */
  takeUp(): Promise<void>
  /** More was dealt out for these platforms. */
  hasMore(platformIds: readonly Uuid[]): void
  /** Closes connections that nobody has used for a while. */
  closeIdle(): void
  readonly size: () => number
  /** Resolves when all that are at work now are done. */
  settled(): Promise<void>
  stop(): Promise<void>
}

/**
 * Receivers that are served at once. Those that fail have slots of their own, so that they take nobody else's. Who is
 * stalled gives its slot up; of all there are so few that memory stays bounded.
 */
const HEALTHY = { answering: 128, all: 512 }
const FAILING = { answering: 32, all: 256 }

export function openFleet(context: DelivererContext, onDone: () => void): Fleet {
  const couriers = new Map<Uuid, Courier>()
  const senders = openSenders(context.mode)
  let isStopped = false

  function freeSlots(failing: boolean): number {
    const same = [...couriers.values()].filter(courier => courier.isFailing === failing)
    const answering = same.filter(courier => !courier.isStalled())
    const most = failing ? FAILING : HEALTHY
    return Math.min(most.answering - answering.length, most.all - same.length)
  }

  async function take(failing: boolean): Promise<void> {
    const limit = freeSlots(failing)
    const taking = { node: context.node, now: context.clock.now(), failing, limit }
    for (const endpoint of await takeEndpoints(context.database, taking)) {
      const { platformId } = endpoint
      const courier = startCourier(context, endpoint, senders.of(platformId))
      // Its lease ran out while it waited for the database.
      couriers.get(platformId)?.stop()
      couriers.set(platformId, courier)
      if (isStopped) courier.stop()
      void courier.done.finally(() => {
        if (couriers.get(platformId) !== courier) return
        couriers.delete(platformId)
        senders.rest(platformId)
        onDone()
      })
    }
  }

  async function settled(): Promise<void> {
    await Promise.all([...couriers.values()].map(courier => courier.done))
  }

  return {
    async takeUp() {
      await take(false)
      await take(true)
    },
    hasMore(platformIds) {
      for (const platformId of platformIds) couriers.get(platformId)?.hasMore()
    },
    closeIdle: senders.closeIdle,
    size: () => couriers.size,
    settled,
    async stop() {
      isStopped = true
      for (const courier of couriers.values()) courier.stop()
      await settled()
      await senders.close()
    },
  }
}
