import { Gauge } from 'prom-client'
import type { Metrics } from '../../kernel/metrics.ts'
import { type LogCheck, readLogCheck } from './check-log-store.ts'
import type { AuditContext } from './context.ts'

/** What the check of the log has come to, read from the database when somebody asks: every node shows the same. */
export function addLogCheckMetrics(
  metrics: Metrics,
  { database, clock }: Pick<AuditContext, 'database' | 'clock'>,
): void {
  for (const { name, help, value } of FIGURES) {
    const gauge: Gauge = new Gauge({
      name,
      help,
      registers: [],
      async collect() {
        this.reset()
        // Without the database the other figures must still be told.
        const check = await readLogCheck(database).catch(() => null)
        this.set(check === null ? Number.NaN : value(check, clock.now()))
      },
    })
    metrics.registerMetric(gauge)
  }
}

interface Figure {
  readonly name: string
  readonly help: string
  value(check: LogCheck, now: Date): number
}

const FIGURES: readonly Figure[] = [
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
    value: ({ checkedAt }, now) =>
      checkedAt === null ? Number.NaN : (now.getTime() - checkedAt.getTime()) / 1_000,
  },
]
