import type { Uuid } from '../../../kernel/ids.ts'
import type { DelivererContext } from '../context.ts'
import { type DeliveryWorker, startDeliveryWorker } from './delivery-worker.ts'
import { leaseEndpoints } from './endpoint-store.ts'
import { openSenders } from './senders.ts'

/** The delivery workers of this node. */
export interface WorkerPool {
  /** Leases endpoints that have due work and starts a worker for each, as many as there are free slots. */
  startWorkers(): Promise<void>
  /** More events were fanned out to these platforms. */
  hasMore(platformIds: readonly Uuid[]): void
  /** Closes connections that have been idle for a while. */
  closeIdle(): void
  readonly size: () => number
  /** Resolves when all workers that run now are done. */
  finished(): Promise<void>
  stop(): Promise<void>
}

/**
 * How many receivers are served at once. Failing receivers have slots of their own, so that they never occupy those of
 * healthy ones. A stalled receiver does not count among `responding`; `all` bounds memory.
 */
const HEALTHY = { responding: 128, all: 512 }
const FAILING = { responding: 32, all: 256 }

export function openWorkerPool(context: DelivererContext, onDone: () => void): WorkerPool {
  const workers = new Map<Uuid, DeliveryWorker>()
  const senders = openSenders(context.mode)
  let isStopped = false

  function freeSlots(failing: boolean): number {
    const same = [...workers.values()].filter(worker => worker.isFailing === failing)
    const responding = same.filter(worker => !worker.isStalled())
    const most = failing ? FAILING : HEALTHY
    return Math.min(most.responding - responding.length, most.all - same.length)
  }

  async function startFor(failing: boolean): Promise<void> {
    const limit = freeSlots(failing)
    const request = { node: context.node, now: context.clock.now(), failing, limit }
    for (const endpoint of await leaseEndpoints(context.database, request)) {
      const { platformId } = endpoint
      const worker = startDeliveryWorker(context, endpoint, senders.of(platformId))
      // The lease of an earlier worker expired while that worker waited for the database.
      workers.get(platformId)?.stop()
      workers.set(platformId, worker)
      if (isStopped) worker.stop()
      void worker.done.finally(() => {
        if (workers.get(platformId) !== worker) return
        workers.delete(platformId)
        senders.release(platformId)
        onDone()
      })
    }
  }

  async function finished(): Promise<void> {
    await Promise.all([...workers.values()].map(worker => worker.done))
  }

  return {
    async startWorkers() {
      await startFor(false)
      await startFor(true)
    },
    hasMore(platformIds) {
      for (const platformId of platformIds) workers.get(platformId)?.hasMore()
    },
    closeIdle: senders.closeIdle,
    size: () => workers.size,
    finished,
    async stop() {
      isStopped = true
      for (const worker of workers.values()) worker.stop()
      await finished()
      await senders.close()
    },
  }
}
