import { arrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import type { PageRequest } from '../../../http/paging.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { type LayerContent, shownVersionIn } from '../effective-policy.ts'
import {
  behindVersionsAt,
  requireGenuineVersion,
  type StoredVersionRow,
  selectContents,
  type VersionRow,
  versionColumns,
} from './version-rows.ts'

/** The SQL expression of the version that decided about an agent at a moment, as callers see it. */
export function policyVersionAt(agent: string, moment: string): string {
  return `(select ${shownVersionIn('v.version')} from policy_versions v
    where v.agent_id = ${agent} and v.id < ${behindVersionsAt(moment)} order by v.id desc limit 1)`
}

/** The versions that decided these records of agents, by the ids of the records. null if the history begins later. */
export async function selectDecidingVersions(
  db: Queryable,
  records: readonly { readonly id: Uuid; readonly agentId: Uuid; readonly createdAt: Date }[],
): Promise<Map<Uuid, string>> {
  const rows = await db.query<{ id: Uuid; version: string | null }>(
    `select r.id, ${policyVersionAt('r.agent_id', 'r.created_at')} as version
     from unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) r(id, agent_id, created_at)`,
    [
      arrayLiteral(records.map(({ id }) => id)),
      arrayLiteral(records.map(({ agentId }) => agentId)),
      arrayLiteral(records.map(({ createdAt }) => createdAt.toISOString())),
    ],
  )
  return new Map(rows.flatMap(({ id, version }) => (version === null ? [] : [[id, version]])))
}

/** A version with what its layers set, proven. */
export interface ReadVersion extends VersionRow {
  readonly contents: readonly LayerContent[]
}

/** The version that decided about an agent at a moment. */
export async function selectVersionAt(
  db: Queryable,
  vault: Vault,
  agentId: Uuid,
  moment: Date,
): Promise<ReadVersion | null> {
  const rows = await db.query<StoredVersionRow>(
    `select ${versionColumns('v')} from policy_versions v
     where v.agent_id = $1 and v.id < ${behindVersionsAt('$2::timestamptz')} order by v.id desc limit 1`,
    [agentId, moment],
  )
  const [found] = await proven(db, vault, rows)
  return found ?? null
}

/** The page of an agent's versions, newest first, and one more, which the last one of the page changed. */
export async function selectVersions(
  db: Queryable,
  vault: Vault,
  agentId: Uuid,
  { before, fetch, offset }: PageRequest,
): Promise<ReadVersion[]> {
  const rows = await db.query<StoredVersionRow>(
    `select ${versionColumns('v')} from policy_versions v
     where v.agent_id = $1 and ($2::uuid is null or v.id < $2) order by v.id desc limit $3 offset $4`,
    [agentId, before, fetch, offset],
  )
  return proven(db, vault, rows)
}

export async function countVersions(db: Queryable, agentId: Uuid): Promise<number> {
  const [row] = await db.query<{ total: number }>(
    `select count(*)::int4 as total from policy_versions where agent_id = $1`,
    [agentId],
  )
  return row?.total ?? 0
}

async function proven(
  db: Queryable,
  vault: Vault,
  rows: readonly StoredVersionRow[],
): Promise<ReadVersion[]> {
  for (const row of rows) requireGenuineVersion(vault, row)
  const contentsOf = await selectContents(db, vault, rows)
  return rows.map(row => ({ ...row, contents: contentsOf(row) }))
}
