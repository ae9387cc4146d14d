import pMap from 'p-map'
import type { Queryable } from '../db/database.ts'
import { DatabaseBusy, DatabaseUnavailable } from '../db/errors.ts'
import { AlteredRow } from '../db/row-mac.ts'
import { AppError } from '../kernel/app-error.ts'
import { FIRST_UUID, type Uuid } from '../kernel/ids.ts'
import type { Logger } from '../kernel/logger.ts'
import type { Vault } from '../kernel/secrets.ts'
import type { Job } from './jobs.ts'

/** What every job of due work needs. */
export interface DueContext {
  readonly database: Queryable
  readonly vault: Vault
  readonly logger: Logger
}

/** Work on rows that fall due. */
export interface DueWork<Context extends DueContext, Row> {
  /** The name of the job. */
  readonly name: string
  /** `leasedRows` or `pagedRows`. */
  readonly rows: DueRows<Row>
  /** Does the work of one row. false: nothing was done, and the row is due as before. */
  readonly work: (context: Context, row: Row, now: Date) => Promise<unknown>
  /** How many rows are worked on at the same time; all of a batch if not given. */
  readonly concurrency?: number
  /** The message of the log line for a row whose work failed, and the ids in it. */
  readonly failure: string
  readonly ids: (row: Row) => object
}

/**
 * Declares work on rows that fall due. The result makes a job of it, whose runs each take one bounded batch. A row whose
 * work fails is logged and retried in its turn, and the others are done; so are they if a row was altered, which was
 * reported when it was read.
 */
export function dueWork<Context extends DueContext, Row>({
  name,
  rows,
  work,
  concurrency = Number.POSITIVE_INFINITY,
  failure,
  ids,
}: DueWork<Context, Row>): (context: Context) => Job {
  return context => {
    const take = rows.open()

    async function isDone(row: Row, now: Date): Promise<boolean> {
      try {
        return (await work(context, row, now)) !== false
      } catch (error) {
        if (error instanceof AlteredRow) return false
        if (isTransient(error)) context.logger.warn({ ...ids(row), reason: error.message }, failure)
        else context.logger.error({ ...ids(row), err: error }, failure)
        return false
      }
    }

    return {
      name,
      everyMs: 1_000,
      due: rows.due,
      async run(now) {
        const taken = await take(context, now)
        const done = await pMap(taken.rows, row => isDone(row, now), { concurrency })
        return Math.max(taken.leased, done.filter(each => each).length)
      },
    }
  }
}

function isTransient(error: unknown): error is Error {
  if (error instanceof AppError) return error.code === 'service_unavailable'
  return error instanceof DatabaseUnavailable || error instanceof DatabaseBusy
}

/** The rows of a table that fall due, and how a job takes a bounded number of them. */
export interface DueRows<Row> {
  /** The statement, for tests of its plan. */
  readonly sql: string
  /** Whether a row is due at $1: an SQL expression. */
  readonly due: string
  /** Begins at the front of the queue. */
  open(): (context: DueContext, now: Date) => Promise<Taken<Row>>
}

interface Taken<Row> {
  readonly rows: readonly Row[]
  /** How many rows are not due any more because they were taken, altered ones included. */
  readonly leased: number
}

/** Rows that a claim postpones. All SQL is about the row `r`. */
export interface Lease<Found, Row> {
  readonly table: string
  /** The columns of the primary key. */
  readonly key: readonly string[]
  /** The column with the moment when a row falls due; null: never. */
  readonly due: string
  /** How long a claim postpones a row: an expression of type interval, longer than one attempt may take. */
  readonly lease: string
  /** Further changes of a claimed row. An attempt is counted before it is made, so a crash does not hide it. */
  readonly counting?: string
  /** Which of the due rows may be claimed; all if not given. */
  readonly only?: string
  readonly atOnce: number
  /** The select list of a claimed row, and the joins that it needs. */
  readonly selected: string
  readonly joins?: string
  /** The row as the work gets it; throws AlteredRow if its MAC fails. */
  readonly proven: (vault: Vault, found: Found) => Row
}

/**
 * Rows that carry their lease: a claim postpones them, so no two nodes claim the same ones. If the process crashes, the
 * lease expires and another node claims them. What is to be done later again, the work postpones itself.
 */
export function leasedRows<Found extends object, Row>(lease: Lease<Found, Row>): DueRows<Row> {
  const { table, key, due, only = 'true', atOnce, counting, selected, joins = '', proven } = lease
  const sql = `
    with due as (
      select ${key.map(column => `r.${column}`).join(', ')} from ${table} r
      where r.${due} <= $1 and ${only} order by r.${due} limit ${atOnce} for update skip locked),
    claimed as (
      update ${table} r set ${due} = $1::timestamptz + ${lease.lease}${counting === undefined ? '' : `, ${counting}`}
      from due where ${key.map(column => `r.${column} = due.${column}`).join(' and ')} returning r.*)
    select ${selected} from claimed r ${joins}`
  return {
    sql,
    due: isThere(`select from ${table} r where r.${due} <= $1 and ${only} order by r.${due} limit 1`),
    open: () => async (context, now) => {
      const found = await context.database.query<Found>(sql, [now])
      const rows = found.flatMap(each => ifGenuine(() => proven(context.vault, each)))
      return { rows, leased: found.length }
    },
  }
}

/** An altered row was reported when it was proved. */
function ifGenuine<Row>(prove: () => Row): Row[] {
  try {
    return [prove()]
  } catch (error) {
    if (error instanceof AlteredRow) return []
    throw error
  }
}

/** A row's position in its queue: rows are ordered by these two. */
interface DuePlace {
  /** When it fell due, as the database's text, which keeps microseconds. */
  readonly dueAt: string
  readonly id: Uuid
}

const FRONT: DuePlace = { dueAt: '-infinity', id: FIRST_UUID }

/**
 * Rows that stay due until a command changes them under its lock, so that any number of nodes may do so. `select` finds
 * rows that are due at $1, after the position ($2, $3), in their order, at most $4, with `id` and `"dueAt"`. Each batch
 * begins after the previous one, whatever its outcome, and after the last one comes the first. So rows that cannot be
 * processed, because they were altered, do not block the rows after them, and are retried in their turn.
 */
export function pagedRows<Row extends { readonly id: Uuid }>(atOnce: number, select: string): DueRows<Row> {
  return {
    sql: select,
    due: isThere(firstOf(select)),
    open() {
      let after = FRONT
      return async ({ database }, now) => {
        const rows = await database.query<Row & DuePlace>(select, [now, after.dueAt, after.id, atOnce])
        after = rows.length < atOnce ? FRONT : (rows.at(-1) ?? FRONT)
        return { rows, leased: 0 }
      }
    },
  }
}

/**
 * Whether a query has its first row. Not `exists`, which would drop the order, and with it the index that finds the row: a
 * table in which nothing is due would be read whole.
 */
export function isThere(first: string): string {
  return `((select true from (${first}) first) is not null)`
}

/** The statement of a page as one for the first row alone, whose only parameter is $1. */
function firstOf(select: string): string {
  return select
    .replaceAll('$2', `'${FRONT.dueAt}'::timestamptz`)
    .replaceAll('$3', `'${FRONT.id}'::uuid`)
    .replaceAll('$4', '1')
}
