import type { Logger } from '../kernel/logger.ts'
import { addCounter, addFigures, addHistogram, type Metrics } from '../kernel/metrics.ts'
import type { Ledger, LedgerOptions } from './engine.ts'

const BATCH_SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256]
const BATCH_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1]

/** The metrics of the posting engine: commands for each commit, seconds for each commit, how it was decided, failed batches. */
export function addLedgerMetrics(
  metrics: Metrics,
  logger: Logger,
): Pick<LedgerOptions, 'onBatch' | 'onError'> {
  const sizes = addHistogram(metrics, 'batua_ledger_batch_commands', BATCH_SIZES)
  const durations = addHistogram(metrics, 'batua_ledger_batch_seconds', BATCH_SECONDS)
  const batches = addCounter(metrics, 'batua_ledger_batches_total')
  const failures = addCounter(metrics, 'batua_ledger_batch_failures_total')
  return {
    onBatch(commands, seconds, decided) {
      batches.inc({ decided })
      sizes.observe(commands)
      durations.observe(seconds)
    },
    onError(error) {
      failures.inc()
      logger.error({ err: error }, 'ledger batch failed; running its commands one by one')
    },
  }
}

/** The length of this node's queue, by which nodes are added (deploy/helm). */
export function addQueueMetric(metrics: Metrics, { queued }: Pick<Ledger, 'queued'>): void {
  addFigures(metrics, { batua_ledger_queued_commands: length => length }, async () => queued())
}
