import type { Queryable } from '../../db/database.ts'
import { assert } from '../../kernel/assert.ts'
import { formatId, type Uuid } from '../../kernel/ids.ts'
import { sameHash, type Vault } from '../../kernel/secrets.ts'
import { canonicalJson } from '../../kernel/signing.ts'

interface OriginsRow {
  readonly origins: readonly string[]
  readonly changedAt: Date
  readonly mac: Buffer
}

/** Who can only write to the database cannot have the service sign another origin for a payee. */
function originsMac(vault: Vault, agentId: Uuid, { origins, changedAt }: Omit<OriginsRow, 'mac'>): Buffer {
  const row = { agent_id: formatId('agt', agentId), origins, changed_at: changedAt.toISOString() }
  return vault.seal(`agent origins ${canonicalJson(row)}`)
}

/** Where buyers may pay an agent, proved; none named is an empty list. */
export async function findOrigins(db: Queryable, vault: Vault, agentId: Uuid): Promise<readonly string[]> {
  const [row] = await db.query<OriginsRow>(
    `select origins, changed_at as "changedAt", mac from agent_origins where agent_id = $1`,
    [agentId],
  )
  if (row === undefined) return []
  const isGenuine = sameHash(originsMac(vault, agentId, row), row.mac)
  assert(isGenuine, `the origins of ${formatId('agt', agentId)} are as they were written`)
  return row.origins
}

export async function replaceOrigins(
  tx: Queryable,
  vault: Vault,
  agentId: Uuid,
  origins: readonly string[],
  now: Date,
): Promise<void> {
  const mac = originsMac(vault, agentId, { origins, changedAt: now })
  await tx.query(
    `insert into agent_origins (agent_id, origins, changed_at, mac) values ($1, $2, $3, $4)
     on conflict (agent_id) do update set origins = excluded.origins, changed_at = excluded.changed_at, mac = excluded.mac`,
    [agentId, origins, now, mac],
  )
}
