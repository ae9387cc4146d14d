import type { Queryable } from '../../../db/database.ts'
import { firstUuidAt, momentOf, type Uuid } from '../../../kernel/ids.ts'
import type { Followed } from './store.ts'

/** Reads the new rows of a table, in the order of their ids but for rows that were committed late. */
export interface Follower<Row> {
  /** Forgets what happened before `now`. */
  start(now: Date): Promise<void>
  /** The rows that were committed since the last call: at most about `LIMIT`. */
  next(now: Date): Promise<readonly Row[]>
}

const LIMIT = 5_000
/** A row may be committed this long after its id was made, and is still found. */
export const LATEST_MS = 10_000
const LATE_CHECK_MS = 2_000

/**
 * Ids grow with time, but a row may be committed after a row with a greater id, and another node's clock may be ahead.
 * So the rows of the last seconds are counted from time to time. When there are more than were read, the missing ones
 * are read by their ids. A node's rows are missed while its clock is more than `LATEST_MS` behind this node's.
 */
export function follow<Row extends { readonly id: Uuid }>(
  database: Queryable,
  table: Followed<Row>,
): Follower<Row> {
  let last: Uuid = firstUuidAt(new Date(0))
  /** The ids read in the last seconds, in the order in which they were read. */
  let recent: Uuid[] = []
  let nextLateCheck = 0

  async function late(now: Date): Promise<readonly Row[]> {
    if (now.getTime() < nextLateCheck) return []
    nextLateCheck = now.getTime() + LATE_CHECK_MS
    const newest = Math.min(momentOf(last).getTime(), now.getTime())
    const from = firstUuidAt(new Date(newest - LATEST_MS))
    recent = recent.filter(id => id > from)
    if ((await table.count(database, from, last)) === recent.length) return []
    const known = new Set(recent)
    const missing = (await table.ids(database, from, last)).filter(id => !known.has(id))
    return missing.length === 0 ? [] : table.byIds(database, missing)
  }

  return {
    async start(now) {
      last = firstUuidAt(now)
      recent = await table.ids(database, firstUuidAt(new Date(now.getTime() - LATEST_MS)), last)
      nextLateCheck = now.getTime() + LATE_CHECK_MS
    },
    async next(now) {
      const missed = await late(now)
      const found = await table.after(database, last, LIMIT)
      last = found.at(-1)?.id ?? last
      const rows = [...missed, ...found]
      for (const { id } of rows) recent.push(id)
      return rows
    },
  }
}
