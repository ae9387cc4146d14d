import type { Database } from '../../../db/database.ts'
import { type LogChecker, type LogLimits, openLogChecker } from '../check-log.ts'
import type { LogFault } from '../check-log-faults.ts'
import type { AuditContext } from '../context.ts'

/** Starts a round at once, completes it, and returns the open faults. */
export async function checkWholeLog(context: AuditContext, limits?: LogLimits): Promise<LogFault[]> {
  return completeRound(context, openLogChecker(context, limits))
}

export async function completeRound(
  { database, clock }: AuditContext,
  checker: LogChecker,
): Promise<LogFault[]> {
  await database.query('update audit_check set last_started_at = null')
  do await checker.check(clock.now())
  while (await isUnderWay(database))
  return database.query<LogFault>(
    'select subject, kind, detail from audit_faults where healed_at is null order by kind, subject',
    [],
  )
}

async function isUnderWay(database: Database): Promise<boolean> {
  const rows = await database.query('select 1 from audit_check where round_started_at is not null', [])
  return rows.length > 0
}
