import type { Queryable } from '../../db/database.ts'
import type { Uuid } from '../../kernel/ids.ts'

/** The state of the log that metrics show. */
export interface LogStatus {
  readonly size: number
  readonly waiting: number
  /** The id of the oldest queued row. */
  readonly oldest: Uuid | null
  readonly refused: number
}

export async function selectStatus(db: Queryable): Promise<LogStatus> {
  const [row] = await db.query<LogStatus>(
    `select coalesce((select size from audit_tree), 0)::float8 as size,
       (select coalesce(sum(cardinality(ids)), 0) from audit_queue)::float8 as waiting,
       (select id from audit_queue order by id limit 1) as oldest,
       (select count(*) from audit_refused)::float8 as refused`,
    [],
  )
  return row ?? { size: 0, waiting: 0, oldest: null, refused: 0 }
}
