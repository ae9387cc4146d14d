import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'

/** The metrics of one process; each domain registers its own. */
export type Metrics = Registry

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return registry
}

/** One gauge of a group that is read together; NaN: it has no value yet. */
export interface Figure<Status> {
  readonly name: string
  readonly help: string
  value(status: Status): number
}

/** One gauge with a value for each value of a label. */
export interface LabelledFigure<Status> {
  readonly name: string
  readonly help: string
  readonly label: string
  values(status: Status): Readonly<Record<string, number>>
}

/**
 * Adds gauges that are read from the database on request, so that every node shows the same values. The gauges of a group
 * share one read. If it fails, none of them has a value, because 0 would be wrong, and all other metrics are still shown.
 */
export function addFigures<Status>(
  metrics: Metrics,
  figures: readonly (Figure<Status> | LabelledFigure<Status>)[],
  read: () => Promise<Status>,
): void {
  let asked: Promise<Status | null> | null = null
  const answer = () =>
    (asked ??= read()
      .catch(() => null)
      .finally(() => {
        asked = null
      }))
  for (const figure of figures) {
    const gauge: Gauge = new Gauge({
      name: figure.name,
      help: figure.help,
      labelNames: 'label' in figure ? [figure.label] : [],
      registers: [],
      async collect() {
        const status = await answer()
        this.reset()
        show(this, figure, status)
      },
    })
    metrics.registerMetric(gauge)
  }
}

function show<Status>(
  gauge: Gauge,
  figure: Figure<Status> | LabelledFigure<Status>,
  status: Status | null,
): void {
  if (!('label' in figure)) return gauge.set(status === null ? Number.NaN : figure.value(status))
  if (status === null) return
  for (const [of, value] of Object.entries(figure.values(status))) gauge.set({ [figure.label]: of }, value)
}
