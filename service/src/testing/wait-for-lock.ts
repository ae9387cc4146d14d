import type { Database } from '../db/database.ts'

/** Resolves once some session of this database waits for a lock, so that a test need not guess how long that takes. */
export async function someoneWaitsForLock(database: Database): Promise<void> {
  for (;;) {
    const waiting = await database.query(
      `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    if (waiting.length > 0) return
  }
}
