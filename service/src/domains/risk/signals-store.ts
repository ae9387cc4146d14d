import type { Queryable } from '../../db/database.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { SignalCount, SignalKind } from './signals.ts'

/**
 * Adds to the stored counts of all nodes. Rows are locked in the order of their keys, so that nodes cannot deadlock.
 */
export async function addSignals(db: Queryable, counts: readonly SignalCount[]): Promise<void> {
  const ordered = counts.toSorted((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1))
  await db.query(
    `insert into risk_signals (subject, kind, minute, count)
     select subject, kind, minute, count
     from unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::int4[]) v(subject, kind, minute, count)
     on conflict (subject, kind, minute) do update
       set count = least(1000000, risk_signals.count + excluded.count)`,
    [
      ordered.map(count => count.subjectId),
      ordered.map(count => count.kind),
      ordered.map(count => new Date(count.minuteMs)),
      ordered.map(count => count.count),
    ],
  )
}

function keyOf({ subjectId, kind, minuteMs }: SignalCount): string {
  return `${subjectId} ${kind} ${minuteMs}`
}

const SUM = `
  select s.subject as "subjectId", c.count
  from unnest($1::uuid[], $2::timestamptz[]) s(subject, after)
  cross join lateral (
    select coalesce(sum(count), 0)::int4 as count from risk_signals
    where subject = s.subject and kind = $3 and minute > s.after and minute <= $4
  ) c
  where c.count > 0`

export interface SignalSpan {
  readonly subjectId: Uuid
  readonly afterMs: number
}

/** The counts of each subject in the minutes that begin after its own moment, up to now. */
export async function sumSignals(
  db: Queryable,
  kind: SignalKind,
  spans: readonly SignalSpan[],
  now: Date,
): Promise<Map<Uuid, number>> {
  const rows = await db.query<{ subjectId: Uuid; count: number }>(SUM, [
    spans.map(span => span.subjectId),
    spans.map(span => new Date(span.afterMs)),
    kind,
    now,
  ])
  return new Map(rows.map(row => [row.subjectId, row.count]))
}

/** Deletes counts older than a moment, an hour of them at a time. Returns the number deleted. */
export async function deleteSignalsBefore(db: Queryable, moment: Date): Promise<number> {
  const rows = await db.query(
    `delete from risk_signals
     where minute < $1 and minute < (select min(minute) + interval '1 hour' from risk_signals)
     returning subject`,
    [moment],
  )
  return rows.length
}
