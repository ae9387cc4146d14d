import { FIRST_UUID, type Uuid } from '../kernel/ids.ts'

/** Where a row stands in its queue: rows come in the order of these two. */
export interface DuePlace {
  /** When it fell due, in the database's own words, which keep its microseconds. */
  readonly dueAt: string
  readonly id: Uuid
}

const FRONT: DuePlace = { dueAt: '-infinity', id: FIRST_UUID }

/** At most `limit` rows that are due and stand behind `after`, in their order. */
export type SelectDue<Row extends DuePlace> = (
  now: Date,
  after: DuePlace,
  limit: number,
) => Promise<readonly Row[]>

/**
 * Pages of a queue whose rows stay due until they are done, for a job that is run again and again. Each page begins behind
 * the last one, whatever became of that one, and behind the end comes the front: so rows that cannot be done, because
 * somebody has altered them, keep none behind them waiting, and are tried again in their turn.
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
