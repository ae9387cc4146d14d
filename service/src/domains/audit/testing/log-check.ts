import type { Database } from '../../../db/database.ts'
import type { Finding } from '../../../operations/scan.ts'
import { type LogChecker, type LogLimits, openLogChecker } from '../check-log.ts'
import type { AuditContext } from '../context.ts'

/** Starts a round at once, completes it, and returns the open faults. */
export async function checkWholeLog(context: AuditContext, limits?: LogLimits): Promise<Finding[]> {
  return completeRound(context, openLogChecker(context, limits))
}

export async function completeRound({ database }: AuditContext, checker: LogChecker): Promise<Finding[]> {
  await database.query(`update scans set started_at = null where name = 'audit log check'`)
  do await checker.check()
  while (await isUnderWay(database))
  return database.query<Finding>(
    `select subject, kind, detail from scan_findings where scan = 'audit log check' and healed_at is null
     order by kind, subject`,
    [],
  )
}

async function isUnderWay(database: Database): Promise<boolean> {
  const rows = await database.query(`select 1 from scans where name = 'audit log check' and is_running`, [])
  return rows.length > 0
}
