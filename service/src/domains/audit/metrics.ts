import { momentOf } from '../../kernel/ids.ts'
import { addFigures, type Figure, type Metrics } from '../../kernel/metrics.ts'
import { addLogCheckMetrics } from './check-log-metrics.ts'
import type { AuditContext } from './context.ts'
import { isAsSigned } from './prove.ts'
import { type LogStatus, selectStatus } from './status-store.ts'

/** How the log stands, and what the check of it has come to. */
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
    help: 'Entries that the newest checkpoint covers',
    value: ({ size }) => size,
  },
  {
    name: 'audit_waiting_leaves',
    help: 'Entries that wait for their places in the tree',
    value: ({ waiting }) => waiting,
  },
  {
    name: 'audit_lag_seconds',
    help: 'How long the oldest of them has waited; 0 when none does',
    value: ({ oldest, now }) =>
      oldest === null ? 0 : Math.max(0, (now.getTime() - momentOf(oldest).getTime()) / 1_000),
  },
  {
    name: 'audit_refused_rows',
    help: 'Rows of the queue that were put aside, because they are not as the service wrote them',
    value: ({ refused }) => refused,
  },
  {
    name: 'audit_checkpoint_good',
    help: 'Whether the newest checkpoint is signed and the end of the tree is what it says: 1, or 0',
    value: ({ isIntact }) => (isIntact ? 1 : 0),
  },
]
