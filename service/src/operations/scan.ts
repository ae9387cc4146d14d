import { textArrayLiteral } from '../db/array-literal.ts'
import type { Database, Queryable } from '../db/database.ts'
import { assert } from '../kernel/assert.ts'
import type { Clock } from '../kernel/clock.ts'
import { newUuid, type Uuid } from '../kernel/ids.ts'
import type { Logger } from '../kernel/logger.ts'
import type { Figures } from '../kernel/metrics.ts'

/**
 * A scan goes through everything in order, in slices. One node at a time does a slice, under a lease. The slice's
 * outcome and the cursor behind it are committed together, so a crash repeats at most one slice, and a node whose lease
 * expired meanwhile writes nothing. After its last slice the round ends, and the next round begins when it is due.
 */
export interface Scan<Cursor, Done extends Slice<Cursor>> {
  /** The name of its row in `scans`, which a migration inserts. */
  readonly name: string
  /** Longer than any slice. After a crash this much time passes before another node repeats the slice. */
  readonly leaseMs: number
  /** A round is due if the last one began before this moment. A round under way is continued anyway. */
  readonly dueSince: Date
  /**
   * Does the slice behind a cursor; null: the first of a round. It holds no lock. If it fails, or its node crashes, it
   * is repeated with the same cursor, so whatever it commits by itself must be found again.
   */
  slice(cursor: Cursor | null): Promise<Done>
  /** The log line of a new finding; by default the name of the scan and that it found a fault. */
  messageOf?(finding: Finding): string
}

export interface Slice<Cursor> {
  /** Where the next slice begins; null: this was the last one, and the round ends. */
  readonly next: Cursor | null
  readonly findings?: readonly Finding[]
  /** The result of a complete round; stored until the next one is complete. */
  readonly result?: object
  /** Writes in the commit of the cursor. */
  save?(tx: Queryable): Promise<unknown>
}

/** A fault. It is open from the round that found it until a later round does not find it again. */
export interface Finding {
  /** An id, or `table/id`, or the name of a part. Never personal data: it is logged. */
  readonly subject: string
  readonly kind: string
  readonly detail: string
}

/** The `dueSince` of rounds of which each begins this long after the beginning of the one before. */
export function dueEvery(intervalMs: number, now: Date): Date {
  return new Date(now.getTime() - intervalMs + 1)
}

/** The `due` of a job whose scan begins a round this long after the beginning of the one before. */
export function roundDue(name: string, intervalMs: number): string {
  const dueSince = `$1::timestamptz - interval '${intervalMs - 1} milliseconds'`
  return `exists (select from scans where name = '${name}' and ${isRoundDue(dueSince)})`
}

/** SQL: a round is under way, or the last one began before this moment. */
function isRoundDue(dueSince: string): string {
  return `(is_running or started_at is null or started_at < ${dueSince})`
}

export interface ScanContext {
  readonly database: Database
  readonly clock: Clock
  readonly logger: Pick<Logger, 'error'>
}

/** A slice that failed is repeated after this time, by any node. */
const RETRY_MS = 10_000

/**
 * Does the next slice. Returns null if another node has the lease, no round is due, or the lease was lost meanwhile:
 * then nothing of the slice was saved.
 */
export async function scanSlice<Cursor, Done extends Slice<Cursor>>(
  { database, clock, logger }: ScanContext,
  scan: Scan<Cursor, Done>,
): Promise<Done | null> {
  const token = newUuid(clock.now())
  const taken = await takeLease(database, scan, token, clock.now())
  if (taken === null) return null
  try {
    const slice = await scan.slice(fromJson<Cursor>(taken.cursor))
    const fresh = await database.inTransaction(tx => saveSlice(tx, slice, token, clock.now()))
    if (fresh === null) return null
    const messageOf = scan.messageOf ?? (() => `${scan.name} found a fault`)
    for (const fault of fresh) logger.error({ fault }, messageOf(fault))
    return slice
  } catch (error) {
    // If the database is away, the lease expires by itself.
    await retryLater(database, token, new Date(clock.now().getTime() + RETRY_MS)).catch(() => undefined)
    throw error
  }
}

/** A check at once ends when it has found this much, because a damaged database may have a fault in every row. */
export const MOST_FINDINGS = 10_000

/**
 * Does all slices of a round at once, without a lease, and saves nothing: for a command on a database that no node uses.
 * A finding that several slices have counts once.
 */
export async function scanAtOnce<Cursor, Done extends Slice<Cursor>>(
  doSlice: Scan<Cursor, Done>['slice'],
): Promise<{ readonly last: Done; readonly findings: readonly Finding[] }> {
  const findings = new Map<string, Finding>()
  let cursor: Cursor | null = null
  for (;;) {
    const slice: Done = await doSlice(cursor)
    for (const finding of slice.findings ?? []) findings.set(keyOf(finding), finding)
    cursor = slice.next
    if (cursor === null || findings.size >= MOST_FINDINGS)
      return { last: slice, findings: [...findings.values()] }
  }
}

type Lease = Pick<Scan<never, never>, 'name' | 'leaseMs' | 'dueSince'>

async function takeLease(
  db: Queryable,
  { name, leaseMs, dueSince }: Lease,
  token: Uuid,
  now: Date,
): Promise<{ readonly cursor: string | null } | null> {
  const [row] = await db.query<{ cursor: string | null }>(
    `update scans set leased_by = $2, leased_until = $4, is_running = true,
       round = case when is_running then round else round + 1 end,
       started_at = case when is_running then started_at else $3 end
     where name = $1 and (leased_until is null or leased_until <= $3)
       and ${isRoundDue('$5')}
     returning cursor::text as cursor`,
    [name, token, now, new Date(now.getTime() + leaseMs), dueSince],
  )
  return row ?? null
}

async function retryLater(db: Queryable, token: Uuid, at: Date): Promise<void> {
  await db.query(`update scans set leased_until = $2 where leased_by = $1`, [token, at])
}

/** Saves a slice and releases the lease. Returns the new findings; null: the lease was lost, and nothing is saved. */
async function saveSlice(
  tx: Queryable,
  { next, findings = [], result, save }: Slice<unknown>,
  token: Uuid,
  now: Date,
): Promise<readonly Finding[] | null> {
  const [scan] = await tx.query<{ name: string; round: number }>(
    `update scans set leased_by = null, leased_until = null, cursor = $2::jsonb, is_running = $2::jsonb is not null,
       finished_at = case when $2::jsonb is null then $3 else finished_at end, result = coalesce($4::jsonb, result)
     where leased_by = $1 returning name, round::float8 as round`,
    [token, toJson(next), now, toJson(result ?? null)],
  )
  if (scan === undefined) return null
  const fresh = await recordFindings(tx, scan, findings, now)
  await save?.(tx)
  if (next === null) await resolveFindings(tx, scan, now)
  return fresh
}

interface Round {
  readonly name: string
  readonly round: number
}

/** Bounds the table and the log if large parts of the database are damaged. */
const MAX_OPEN = 1_000

/** Records findings of a round. Returns those that were not open. */
async function recordFindings(
  tx: Queryable,
  { name, round }: Round,
  findings: readonly Finding[],
  now: Date,
): Promise<readonly Finding[]> {
  if (findings.length === 0) return []
  const open = await tx.query<Pick<Finding, 'subject' | 'kind'>>(
    `select subject, kind from scan_findings where scan = $1 and healed_at is null`,
    [name],
  )
  const known = new Set(open.map(keyOf))
  const found = [...new Map(findings.map(finding => [keyOf(finding), finding])).values()]
  const fresh = found
    .filter(finding => !known.has(keyOf(finding)))
    .slice(0, Math.max(0, MAX_OPEN - open.length))
  const recorded = [...found.filter(finding => known.has(keyOf(finding))), ...fresh]
  await tx.query(
    `insert into scan_findings as f (scan, subject, kind, detail, found_at, seen_round)
     select $1, v.subject, v.kind, v.detail, $5, $6 from unnest($2::text[], $3::text[], $4::text[]) v(subject, kind, detail)
     on conflict (scan, subject, kind) do update set detail = excluded.detail, seen_round = excluded.seen_round,
       healed_at = null, found_at = case when f.healed_at is null then f.found_at else excluded.found_at end`,
    [
      name,
      textArrayLiteral(recorded.map(({ subject }) => subject)),
      textArrayLiteral(recorded.map(({ kind }) => kind)),
      textArrayLiteral(recorded.map(({ detail }) => detail)),
      now,
      round,
    ],
  )
  return fresh
}

function keyOf({ subject, kind }: Pick<Finding, 'subject' | 'kind'>): string {
  return `${subject} ${kind}`
}

/** Resolves, at the end of a round, the findings that the round did not find again. */
async function resolveFindings(tx: Queryable, { name, round }: Round, now: Date): Promise<void> {
  await tx.query(
    `update scan_findings set healed_at = $3 where scan = $1 and healed_at is null and seen_round < $2`,
    [name, round, now],
  )
}

export interface ScanStatus<Cursor, Result> {
  /** The end of the last complete round, and its result; nulls before the first. */
  readonly finishedAt: Date | null
  readonly result: Result | null
  /** Where the round under way is; null: none is, or it is at its beginning. */
  readonly cursor: Cursor | null
  readonly openFindings: number
}

export async function readScan<Cursor, Result = never>(
  db: Queryable,
  name: string,
): Promise<ScanStatus<Cursor, Result>> {
  const [row] = await db.query<ScanStatus<string, string>>(
    `select finished_at as "finishedAt", result::text as result, cursor::text as cursor,
       (select count(*) from scan_findings where scan = $1 and healed_at is null)::float8 as "openFindings"
     from scans where name = $1`,
    [name],
  )
  assert(row !== undefined, 'the scans are rows of the schema')
  return { ...row, result: fromJson(row.result), cursor: fromJson(row.cursor) }
}

/** The three metrics of every check: whether it found no fault, how many are open, and how old its last round is. */
export function checkFigures<Status extends ScanStatus<unknown, unknown> & { readonly now: Date }>(
  check: 'batua_ledger_check' | 'batua_log_check',
): Figures<Status> {
  return {
    [`${check}_passed`]: ({ openFindings, finishedAt }: Status) =>
      openFindings > 0 ? 0 : finishedAt === null ? Number.NaN : 1,
    [`${check}_findings`]: ({ openFindings }: Status) => openFindings,
    [`${check}_age_seconds`]: ({ finishedAt, now }: Status) =>
      finishedAt === null ? Number.NaN : (now.getTime() - finishedAt.getTime()) / 1_000,
  }
}

/** Cursors and results hold plain values, bigints, dates, sets and maps. */
function toJson(value: unknown): string | null {
  return value === null ? null : JSON.stringify(plain(value))
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return { $bigint: String(value) }
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(plain)
  if (value instanceof Date) return { $date: value.toISOString() }
  if (value instanceof Set) return { $set: [...value].map(plain) }
  if (value instanceof Map) return { $map: [...value].map(plain) }
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]))
}

function fromJson<Value>(text: string | null): Value | null {
  return text === null ? null : JSON.parse(text, (_key, value: unknown) => revived(value))
}

function revived(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if ('$bigint' in value) return BigInt(String(value.$bigint))
  if ('$date' in value) return new Date(String(value.$date))
  if ('$set' in value && Array.isArray(value.$set)) return new Set(value.$set)
  return '$map' in value && Array.isArray(value.$map) ? new Map(value.$map) : value
}
