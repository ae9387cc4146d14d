import { HOUR_MS } from '../../kernel/clock.ts'
import { checkBook } from '../../ledger/index.ts'
import { claimBookCheck, keepBookCheck } from './book-check-store.ts'
import type { AdminContext } from './context.ts'

/**
 * Checks the whole book when an hour has passed or this process has just started, and keeps the outcome. It reads the
 * whole history, so of several nodes only one does it.
 */
export async function checkBookWhenDue(
  { database, clock, logger }: Pick<AdminContext, 'database' | 'clock' | 'logger'>,
  now: Date,
  startedAt: Date,
): Promise<number> {
  const anHourAgo = new Date(now.getTime() - HOUR_MS)
  const dueBefore = anHourAgo > startedAt ? anHourAgo : startedAt
  if (!(await claimBookCheck(database, now, dueBefore))) return 0
  const report = await checkBook(database)
  if (!report.balanced) logger.error({ report }, 'the book is not balanced')
  await keepBookCheck(database, clock.now(), report.balanced)
  return 1
}
