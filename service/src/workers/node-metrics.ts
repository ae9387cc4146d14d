import { AggregatorRegistry, type PrometheusContentType, type Registry } from 'prom-client'
import type { Metrics } from '../kernel/metrics.ts'
import type { ProcessMetrics } from './messages.ts'

/** The metrics of all processes of a node, in one text. */
export interface NodeMetrics {
  text(): Promise<string>
  /** Keeps what a process that ended had counted, because a sum that falls looks like a restart of the node. */
  ended(worker: number): void
}

/** Reads the metrics of one worker process; null: it does not respond. */
export type ReadMetrics = () => Promise<ProcessMetrics | null>

/** `own` are the metrics of the parent process, `workers` those that run now by their numbers. */
export function openNodeMetrics(own: Metrics, workers: () => ReadonlyMap<number, ReadMetrics>): NodeMetrics {
  const last = new Map<number, ProcessMetrics>()
  let ofEnded: ProcessMetrics = []
  return {
    async text() {
      const [known, before] = [new Map(last), ofEnded]
      const reads = [...workers()].map(async ([worker, read]) => {
        const metrics = await read()
        if (metrics === null) return countsOf(known.get(worker) ?? [])
        last.set(worker, metrics)
        return metrics
      })
      return await combined([...(await Promise.all(reads)), await own.getMetricsAsJSON(), before]).metrics()
    },
    ended(worker) {
      const counts = countsOf(last.get(worker) ?? [])
      last.delete(worker)
      ofEnded = combined([ofEnded, counts]).getMetricsAsArray() as unknown as ProcessMetrics
    },
  }
}

function countsOf(metrics: ProcessMetrics): ProcessMetrics {
  return metrics.filter(({ type }) => String(type) !== 'gauge')
}

/**
 * Counters and histograms are summed, and so are memory and queues. What is read from the database is the same in all
 * processes. Of event loops the slowest counts: the average of a blocked one and an idle one says nothing. The node
 * started with its first process.
 */
function combined(parts: readonly ProcessMetrics[]): Registry {
  const rules = { average: 'max', omit: 'min' } as const
  const ruled = parts.map(metrics =>
    metrics.map(metric => {
      const { aggregator } = metric
      const isOther = aggregator === 'average' || aggregator === 'omit'
      return isOther ? { ...metric, aggregator: rules[aggregator] } : metric
    }),
  )
  return AggregatorRegistry.aggregate<PrometheusContentType>(ruled)
}
