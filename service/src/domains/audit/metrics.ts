import type { Queryable } from '../../db/database.ts'
import { momentOf, type Uuid } from '../../kernel/ids.ts'
import { addFigures, type Figures, type Metrics } from '../../kernel/metrics.ts'
import { checkFigures } from '../../operations/scan.ts'
import { readLogCheck } from './check-log.ts'
import type { AuditContext } from './context.ts'
import { isAsSigned } from './prove.ts'

type LogContext = Pick<AuditContext, 'database' | 'clock'>

/** Metrics of the log and of its check. */
export function addAuditMetrics(metrics: Metrics, context: AuditContext): void {
  addFigures(metrics, FIGURES, () => readStatus(context))
  addLogCheckMetrics(metrics, context)
}

export function addLogCheckMetrics(metrics: Metrics, { database, clock }: LogContext): void {
  const read = async () => ({ ...(await readLogCheck(database)), now: clock.now() })
  addFigures(metrics, checkFigures('batua_log_check'), read)
}

interface Status extends LogStatus {
  readonly isIntact: boolean
  readonly now: Date
}

async function readStatus(context: AuditContext): Promise<Status> {
  const [status, isIntact] = await Promise.all([selectStatus(context.database), isAsSigned(context)])
  return { ...status, isIntact, now: context.clock.now() }
}

const FIGURES: Figures<Status> = {
  batua_audit_leaves: ({ size }) => size,
  batua_audit_waiting_leaves: ({ waiting }) => waiting,
  batua_audit_lag_seconds: ({ oldest, now }) =>
    oldest === null ? 0 : Math.max(0, (now.getTime() - momentOf(oldest).getTime()) / 1_000),
  batua_audit_refused_rows: ({ refused }) => refused,
  batua_audit_checkpoint_passed: ({ isIntact }) => (isIntact ? 1 : 0),
}

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
