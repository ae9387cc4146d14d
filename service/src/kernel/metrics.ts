import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { type MetricName, metricOf } from './metric-table.ts'

/** The metrics of one process; each domain registers its own. */
export type Metrics = Registry

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return registry
}

export function addCounter(metrics: Metrics, name: MetricName<'counter'>): Counter {
  return new Counter({ ...described(name), registers: [metrics] })
}

/** `buckets`: the upper bounds of its values, ascending. */
export function addHistogram(
  metrics: Metrics,
  name: MetricName<'histogram'>,
  buckets: readonly number[],
): Histogram {
  return new Histogram({ ...described(name), buckets: [...buckets], registers: [metrics] })
}

function described(name: Parameters<typeof metricOf>[0]) {
  const { help, labels = [] } = metricOf(name)
  return { name, help, labelNames: [...labels] }
}

/**
 * The value of a gauge from a status that several share; NaN: it has none yet. A gauge with a label has a value for each
 * value of the label.
 */
export type Figure<Status> = (status: Status) => number | Readonly<Record<string, number>>

/** Gauges by their names. */
export type Figures<Status> = Readonly<Partial<Record<MetricName<'gauge'>, Figure<Status>>>>

/**
 * Adds gauges that are read from the database on request, so that every node shows the same values. The gauges of a group
 * share one read. If it fails, none of them has a value, because 0 would be wrong, and all other metrics are still shown.
 */
export function addFigures<Status>(
  metrics: Metrics,
  figures: Figures<Status>,
  read: () => Promise<Status>,
): void {
  let asked: Promise<Status | null> | null = null
  const sharedRead = () =>
    (asked ??= read()
      .catch(() => null)
      .finally(() => {
        asked = null
      }))
  for (const [name, figure] of Object.entries(figures) as [MetricName<'gauge'>, Figure<Status>][]) {
    const [label] = metricOf(name).labels ?? []
    const gauge: Gauge = new Gauge({
      ...described(name),
      // Processes of one node read the same from the database.
      aggregator: metricOf(name).ofProcess === true ? 'sum' : 'first',
      registers: [],
      async collect() {
        const status = await sharedRead()
        this.reset()
        show(this, label, status === null ? null : figure(status))
      },
    })
    metrics.registerMetric(gauge)
  }
}

function show(gauge: Gauge, label: string | undefined, shown: ReturnType<Figure<unknown>> | null): void {
  if (label === undefined) return gauge.set(typeof shown === 'number' ? shown : Number.NaN)
  for (const [of, value] of Object.entries(shown ?? {})) gauge.set({ [label]: of }, value)
}
