import { type Count, type CountStore, MemoryStore } from '../http/admission/rate-limit-store.ts'
import type { CountRequest } from './messages.ts'

/** Counts for all worker processes of this node, so that a limit holds for them together. */
export function countForWorkers(): (requests: readonly CountRequest[]) => Count[] {
  const budgets = new Map<number, MemoryStore>()
  const storeOf = (budget: number): MemoryStore => {
    const found = budgets.get(budget) ?? new MemoryStore()
    budgets.set(budget, found)
    return found
  }
  return requests =>
    requests.map(({ budget, key, windowMs }) =>
      windowMs === null ? storeOf(budget).counted(key) : storeOf(budget).count(key, windowMs),
    )
}

export interface WorkerCounts {
  readonly store: CountStore
  /** The counts that were asked for first of all that are still unanswered. */
  receive(counts: readonly Count[]): void
}

type Report = Parameters<CountStore['read']>[1]

/**
 * The counters of a worker process, which the parent process keeps. What requests ask in one turn of the event loop is
 * one message; the parent responds to messages in their order. Every worker makes its budgets in the same order, so their
 * numbers are the same.
 */
export function openWorkerCounts(send: (requests: readonly CountRequest[]) => void): WorkerCounts {
  const waiting: (readonly Report[])[] = []
  let requests: CountRequest[] = []
  let reports: Report[] = []
  let budgets = 0

  function ask(request: CountRequest, report: Report): void {
    if (requests.length === 0) setImmediate(flush)
    requests.push(request)
    reports.push(report)
  }

  function flush(): void {
    waiting.push(reports)
    send(requests)
    requests = []
    reports = []
  }

  function openStore(): CountStore {
    const budget = budgets++
    return {
      incr: (key, report, windowMs) => ask({ budget, key, windowMs }, report),
      read: (key, report) => ask({ budget, key, windowMs: null }, report),
      child: openStore,
    }
  }

  return {
    store: openStore(),
    receive(counts) {
      const asked = waiting.shift() ?? []
      for (const [at, count] of counts.entries()) asked[at]?.(null, count)
    },
  }
}
