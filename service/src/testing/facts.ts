import type { ActorType, AuditAction } from '@batua/contract'
import type { Database } from '../db/database.ts'
import { formatId, type Uuid } from '../kernel/ids.ts'
import type { Actor, FactData } from '../operations/facts.ts'

/** One entry of the audit log as a test reads it, with public ids. */
export interface RecordedFact {
  readonly agentId: string | null
  readonly actor: Actor
  readonly action: AuditAction
  readonly target: string
  readonly data: FactData
}

interface Row {
  agent_id: Uuid | null
  actor_type: ActorType
  actor_id: string
  action: AuditAction
  target: string
  data: string
}

/**
 * All recorded audit events, of one target or of all, in the order in which they were written: with a clock that stands
 * still their ids do not show it. Payments have no row, so they are not included.
 */
export async function factsIn(database: Database, target: string | null = null): Promise<RecordedFact[]> {
  const rows = await database.query<Row>(
    `select agent_id, actor_type, actor_id, action, target, data from audit_entries
     where $1::text is null or target = $1 order by ctid`,
    [target],
  )
  return rows.map(row => ({
    agentId: row.agent_id === null ? null : formatId('agt', row.agent_id),
    actor: { type: row.actor_type, id: row.actor_id },
    action: row.action,
    target: row.target,
    data: withoutVersion(JSON.parse(row.data)),
  }))
}

/** Removes the version of the changed row: row MACs have tests of their own. */
function withoutVersion({ row: _row, row_version: _version, ...data }: FactData): FactData {
  return data
}

/** The audit events that `work` records, in order. */
export async function factsDuring(database: Database, work: () => Promise<unknown>): Promise<RecordedFact[]> {
  const before = await factsIn(database)
  await work()
  return (await factsIn(database)).slice(before.length)
}

/** The secrets that are in any column of the log: a test expects none. */
export async function secretsInLog(database: Database, secrets: readonly string[]): Promise<string[]> {
  const rows = await database.query<{ text: string }>(`select e::text as text from audit_entries e`)
  return secrets.filter(secret => rows.some(({ text }) => text.includes(secret)))
}

/** UPI ids, bank accounts and phones in any field: a test expects none. */
export async function personalIn(database: Database): Promise<string[]> {
  const rows = await database.query<{ text: string }>(
    `select concat_ws(' ', actor_id, target, data::text) as text from audit_entries`,
  )
  return rows.map(({ text }) => text.match(PERSONAL)?.[0]).filter(found => found !== undefined)
}

/** No id of the service has an at sign. The last part of a UUID may be all digits, but follows a hyphen. */
const PERSONAL = /\S@\S|(?<![\w.]|[\da-f]{4}-)\d{9,}(?!\w)/
