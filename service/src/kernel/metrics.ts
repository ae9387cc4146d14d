import { collectDefaultMetrics, Registry } from 'prom-client'

/** The figures of one process; each part registers its own metrics here. */
export type Metrics = Registry

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return registry
}
