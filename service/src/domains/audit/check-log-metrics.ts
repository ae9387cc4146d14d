import { addFigures, type Figure, type Metrics } from '../../kernel/metrics.ts'
import { type LogCheck, readLogCheck } from './check-log-store.ts'
import type { AuditContext } from './context.ts'

/** What the check of the log has come to. */
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
    help: 'Whether the audit log is as it was written: 1, or 0; no number before the first whole round',
    value: ({ faults, checkedAt }) => (faults > 0 ? 0 : checkedAt === null ? Number.NaN : 1),
  },
  {
    name: 'audit_log_faults',
    help: 'Faults of the audit log that were found and have not healed',
    value: ({ faults }) => faults,
  },
  {
    name: 'audit_log_seconds_since_round',
    help: 'Seconds since the last whole round through the audit log ended',
    value: ({ checkedAt, now }) =>
      checkedAt === null ? Number.NaN : (now.getTime() - checkedAt.getTime()) / 1_000,
  },
]
