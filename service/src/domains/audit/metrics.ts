import { momentOf } from '../../kernel/ids.ts'
import { addFigures, type Figure, type Metrics } from '../../kernel/metrics.ts'
import { addLogCheckMetrics } from './check-log-metrics.ts'
import type { AuditContext } from './context.ts'
import { isAsSigned } from './prove.ts'
import { type LogStatus, selectStatus } from './status-store.ts'

/** Metrics of the log and of the log check. */
export function addAuditMetrics(metrics: Metrics, context: AuditContext): void {
  addFigures(metrics, FIGURES, () => readStatus(context))
  addLogCheckMetrics(metrics, context)
}

interface Status extends LogStatus {
  readonly isIntact: boolean
  readonly now: Date
}

async function readStatus(context: AuditContext): Promise<Status> {
  const [status, isIntact] = await Promise.all([selectStatus(context.database), isAsSigned(context)])
  return { ...status, isIntact, now: context.clock.now() }
}

const FIGURES: readonly Figure<Status>[] = [
  {
    name: 'audit_leaves',
    help: 'Audit entries that the newest checkpoint covers',
    value: ({ size }) => size,
  },
  {
    name: 'audit_waiting_leaves',
    help: 'Audit entries in the queue, not yet appended to the tree',
    value: ({ waiting }) => waiting,
  },
  {
    name: 'audit_lag_seconds',
    help: 'Age of the oldest queued audit entry in seconds; 0 if none is queued',
    value: ({ oldest, now }) =>
      oldest === null ? 0 : Math.max(0, (now.getTime() - momentOf(oldest).getTime()) / 1_000),
  },
  {
    name: 'audit_refused_rows',
    help: 'Rows of the audit queue that were refused, because they failed MAC verification or were in the tree already',
    value: ({ refused }) => refused,
  },
  {
    name: 'audit_checkpoint_good',
    help: '1 if the newest checkpoint has a valid signature and matches the tree, else 0',
    value: ({ isIntact }) => (isIntact ? 1 : 0),
  },
]
