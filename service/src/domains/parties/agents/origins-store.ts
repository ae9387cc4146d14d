import type { Queryable } from '../../../db/database.ts'
import { type MacRow, macColumns, requireGenuine } from '../../../db/row-mac.ts'
import { assert } from '../../../kernel/assert.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { AGENT_ROWS } from '../../limits/index.ts'

/** An SQL expression for the origins of an agent, given the alias of `agents`; an empty list if it has none. */
export function originsOf(agent: string): string {
  return `coalesce((select n.origins from agent_origins n where n.agent_id = ${agent}.id), '{}')`
}

/**
 * The origins of an agent, proven by the agent's MAC and version: origins that were changed, deleted or restored in the
 * database fail the proof.
 */
export async function findOrigins(db: Queryable, vault: Vault, agentId: Uuid): Promise<readonly string[]> {
  const [row] = await db.query<MacRow & { origins: readonly string[] }>(
    `select ${originsOf('a')} as origins, ${macColumns(AGENT_ROWS, 'a')} from agents a where a.id = $1`,
    [agentId],
  )
  assert(row !== undefined, 'agents are never deleted')
  requireGenuine(vault, AGENT_ROWS, agentId, row)
  return row.origins
}

/** The caller holds the agent's lock and calls `writeMacs` afterwards: see updateAgent. */
export async function replaceOrigins(
  tx: Queryable,
  agentId: Uuid,
  origins: readonly string[],
): Promise<void> {
  if (origins.length === 0) {
    await tx.query(`delete from agent_origins where agent_id = $1`, [agentId])
    return
  }
  await tx.query(
    `insert into agent_origins (agent_id, origins) values ($1, $2)
     on conflict (agent_id) do update set origins = excluded.origins`,
    [agentId, origins],
  )
}
