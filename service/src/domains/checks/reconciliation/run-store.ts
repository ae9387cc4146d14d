import type { Queryable } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { PHASES, type Phase, type Run, type Span } from './run.ts'
import { storedTotals, type Totals, totalsFrom } from './totals.ts'

const COLUMNS = `id, day, from_at as "from", to_at as "to", phase, position, totals, listed,
  started_at as "startedAt", finished_at as "finishedAt"`

type RunRow = Omit<Run, 'totals'> & { readonly totals: object }

function runFrom({ totals, ...row }: RunRow): Run {
  return { ...row, totals: totalsFrom(totals) }
}

/** Begins a run. Null: that day has one already. */
export async function insertRun(
  db: Queryable,
  run: Span & { readonly id: Uuid; readonly day: number | null; readonly now: Date },
): Promise<Run | null> {
  const [row] = await db.query<RunRow>(
    `insert into reconciliation_runs (id, day, from_at, to_at, phase, totals, started_at)
     values ($1, $2, $3, $4, $5, '{}', $6) on conflict (day) do nothing returning ${COLUMNS}`,
    [run.id, run.day, run.from, run.to, PHASES[0], run.now],
  )
  return row === undefined ? null : runFrom(row)
}

export async function selectRun(db: Queryable, id: Uuid): Promise<Run | null> {
  const [row] = await db.query<RunRow>(`select ${COLUMNS} from reconciliation_runs where id = $1`, [id])
  return row === undefined ? null : runFrom(row)
}

/** The oldest run of a day that is not done. */
export async function selectUnfinishedRun(db: Queryable): Promise<Uuid | null> {
  const [row] = await db.query<{ id: Uuid }>(
    `select id from reconciliation_runs where finished_at is null and day is not null order by id limit 1`,
    [],
  )
  return row?.id ?? null
}

export interface LastRuns {
  /** The last day that has a run; null before the first. */
  readonly day: number | null
  /** Up to where the gateway's records were last read without a gap; null: never yet. */
  readonly listedTo: Date | null
  /** From where they should have been read since; null: nothing is missing. */
  readonly unlistedFrom: Date | null
}

export async function selectLastRuns(db: Queryable): Promise<LastRuns> {
  const [row] = await db.query<LastRuns>(
    `select max(day) as day, max(to_at) filter (where listed) as "listedTo",
       min(from_at) filter (where not listed and day > coalesce(
         (select max(l.day) from reconciliation_runs l where l.listed), 0)) as "unlistedFrom"
     from reconciliation_runs where day is not null and finished_at is not null`,
    [],
  )
  return row ?? { day: null, listedTo: null, unlistedFrom: null }
}

/** Takes a run for one step; null while another node has it, or when it is done. */
export async function takeRun(
  db: Queryable,
  id: Uuid,
  holder: Uuid,
  now: Date,
  leaseUntil: Date,
): Promise<Run | null> {
  const [row] = await db.query<RunRow>(
    `update reconciliation_runs set holder = $2, leased_until = $4
     where id = $1 and finished_at is null and (leased_until is null or leased_until <= $3) returning ${COLUMNS}`,
    [id, holder, now, leaseUntil],
  )
  return row === undefined ? null : runFrom(row)
}

/** Where a run stands after a step. */
export interface Progress {
  readonly phase: Phase
  readonly position: string | null
  readonly totals: Totals
  readonly listed: boolean
  readonly finishedAt: Date | null
}

/** Moves the run on and lets it go. False: another node has taken it meanwhile, so this step counts for nothing. */
export async function moveRun(tx: Queryable, id: Uuid, holder: Uuid, to: Progress): Promise<boolean> {
  const rows = await tx.query(
    `update reconciliation_runs set phase = $3, position = $4, totals = $5::jsonb, listed = $6, finished_at = $7,
       holder = null, leased_until = null
     where id = $1 and holder = $2 returning id`,
    [id, holder, to.phase, to.position, storedTotals(to.totals), to.listed, to.finishedAt],
  )
  return rows.length === 1
}

/** Lets a run go after a step that failed: whoever comes next repeats it. */
export async function releaseRun(db: Queryable, id: Uuid, holder: Uuid): Promise<void> {
  await db.query(
    `update reconciliation_runs set holder = null, leased_until = null where id = $1 and holder = $2`,
    [id, holder],
  )
}

export async function selectLastFinishedAt(db: Queryable): Promise<Date | null> {
  const [row] = await db.query<{ at: Date | null }>(
    `select max(finished_at) as at from reconciliation_runs`,
    [],
  )
  return row?.at ?? null
}
