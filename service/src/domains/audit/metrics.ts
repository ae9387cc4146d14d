import type { Queryable } from '../../db/database.ts'
import { momentOf, type Uuid } from '../../kernel/ids.ts'
import { addFigures, type Figure, type Metrics } from '../../kernel/metrics.ts'
import { checkFigures } from '../../operations/scan.ts'
import { LOG_CHECK, readLogCheck } from './check-log.ts'
import type { AuditContext } from './context.ts'
import { isAsSigned } from './prove.ts'

type LogContext = Pick<AuditContext, 'database' | 'clock'>

/** Metrics of the log and of its check. */
export function addAuditMetrics(metrics: Metrics, context: AuditContext): void {
  addFigures(metrics, FIGURES, () => readStatus(context))
  addLogCheckMetrics(metrics, context)
}

export function addLogCheckMetrics(metrics: Metrics, { database, clock }: LogContext): void {
  const names = ['audit_log_intact', 'audit_log_faults', 'audit_log_seconds_since_round'] as const
  const read = async () => ({ ...(await readLogCheck(database)), now: clock.now() })
  addFigures(metrics, checkFigures(LOG_CHECK, names), read)
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

/** The state of the log that metrics show. */
interface LogStatus {
  readonly size: number
  readonly waiting: number
  /** The id of the oldest queued row. */
  readonly oldest: Uuid | null
  readonly refused: number
}

async function selectStatus(db: Queryable): Promise<LogStatus> {
  const [row] = await db.query<LogStatus>(
    `select coalesce((select size from audit_tree), 0)::float8 as size,
       (select coalesce(sum(cardinality(ids)), 0) from audit_queue)::float8 as waiting,
       (select id from audit_queue order by id limit 1) as oldest,
       (select count(*) from audit_refused)::float8 as refused`,
    [],
  )
  return row ?? { size: 0, waiting: 0, oldest: null, refused: 0 }
}
