import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'

/** The figures of one process; each part registers its own metrics here. */
export type Metrics = Registry

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return registry
}

/** One number of what a part reads for all its figures; NaN: there is none yet. */
export interface Figure<Status> {
  readonly name: string
  readonly help: string
  value(status: Status): number
}

/** The same with a number for each value of a label. */
export interface LabelledFigure<Status> {
  readonly name: string
  readonly help: string
  readonly label: string
  values(status: Status): Readonly<Record<string, number>>
}

/**
 * Figures that are read from the database when somebody asks, so that every node shows the same. They are asked for all
 * at once and share one answer. Without it none of them has a number: 0 would be one, and the other parts' figures
 * must still be told.
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
