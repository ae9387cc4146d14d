import { Gauge } from 'prom-client'
import type { Metrics } from '../../kernel/metrics.ts'
import type { ReconciliationContext } from './context.ts'
import { readReconciliation } from './reconcile.ts'

/** How many differences stand open, read when somebody asks: every node shows the same. */
export function addReconciliationMetrics(
  metrics: Metrics,
  { database }: Pick<ReconciliationContext, 'database'>,
): void {
  const differences = new Gauge({
    name: 'reconciliation_differences',
    help: 'Differences between the book and the gateway that the last comparison found; no number before it',
    registers: [],
    async collect() {
      this.reset()
      const last = await readReconciliation(database).catch(() => null)
      this.set(last?.differences ?? Number.NaN)
    },
  })
  metrics.registerMetric(differences)
}
