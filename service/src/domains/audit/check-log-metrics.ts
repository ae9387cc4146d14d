import { addFigures, type Figure, type Metrics } from '../../kernel/metrics.ts'
import { type LogCheck, readLogCheck } from './check-log-store.ts'
import type { AuditContext } from './context.ts'

/** Metrics of the log check. */
export function addLogCheckMetrics(
  metrics: Metrics,
  { database, clock }: Pick<AuditContext, 'database' | 'clock'>,
): void {
  addFigures(metrics, FIGURES, async () => ({ ...(await readLogCheck(database)), now: clock.now() }))
}

interface Status extends LogCheck {
  readonly now: Date
}

const FIGURES: readonly Figure<Status>[] = [
  {
    name: 'audit_log_intact',
    help: '1 if the log check found no fault in the audit log, else 0; NaN before the first complete round',
    value: ({ faults, checkedAt }) => (faults > 0 ? 0 : checkedAt === null ? Number.NaN : 1),
  },
  {
    name: 'audit_log_faults',
    help: 'Open faults of the audit log that the log check found',
    value: ({ faults }) => faults,
  },
  {
    name: 'audit_log_seconds_since_round',
    help: 'Seconds since the last complete round of the log check ended',
    value: ({ checkedAt, now }) =>
      checkedAt === null ? Number.NaN : (now.getTime() - checkedAt.getTime()) / 1_000,
  },
]
