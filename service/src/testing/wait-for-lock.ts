import type { Database } from '../db/database.ts'

/** Resolves once a session of this database waits for a lock, so that a test needs no guess of the time. */
export async function someoneWaitsForLock(database: Database): Promise<void> {
  for (;;) {
    const waiting = await database.query(
      `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    if (waiting.length > 0) return
  }
}
