import { FIRST_UUID, type Uuid } from '../kernel/ids.ts'

/** A row's position in its queue: rows are ordered by these two. */
export interface DuePlace {
  /** When it fell due, as the database's text, which keeps microseconds. */
  readonly dueAt: string
  readonly id: Uuid
}

const FRONT: DuePlace = { dueAt: '-infinity', id: FIRST_UUID }

/** Returns at most `limit` due rows after `after`, in their order. */
export type SelectDue<Row extends DuePlace> = (
  now: Date,
  after: DuePlace,
  limit: number,
) => Promise<readonly Row[]>

/**
 * Pages of a queue whose rows stay due until they are done, for a job that runs repeatedly. Each page begins after the
 * previous one, whatever its outcome, and after the last page comes the first. So rows that cannot be processed, because
 * they were altered, do not block the rows after them, and are retried in their turn.
 */
export function duePages<Row extends DuePlace>(
  limit: number,
  select: SelectDue<Row>,
): (now: Date) => Promise<readonly Row[]> {
  let after = FRONT
  return async now => {
    const rows = await select(now, after, limit)
    const last = rows.at(-1)
    after = last === undefined || rows.length < limit ? FRONT : { dueAt: last.dueAt, id: last.id }
    return rows
  }
}
