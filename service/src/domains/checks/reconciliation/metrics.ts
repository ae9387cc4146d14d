import { addFigures, type Metrics } from '../../../kernel/metrics.ts'
import type { ReconciliationContext } from './context.ts'
import { readReconciliation } from './reconcile.ts'

/** How many differences stand open. */
export function addReconciliationMetrics(
  metrics: Metrics,
  { database }: Pick<ReconciliationContext, 'database'>,
): void {
  const differences = {
    name: 'reconciliation_differences',
    help: 'Differences between the ledger and the gateway in the last reconciliation; NaN before the first',
    value: (found: number) => found,
  }
  const read = async () => (await readReconciliation(database))?.differences ?? Number.NaN
  addFigures(metrics, [differences], read)
}
