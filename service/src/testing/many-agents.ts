import type { Database } from '../db/database.ts'
import { writeMacs } from '../db/row-mac.ts'
import { AGENT_ROWS } from '../domains/limits/covered-tables.ts'
import type { Uuid } from '../kernel/ids.ts'
import { TEST_VAULT } from './database.ts'

/** Inserts many agents of an owner with empty wallets, in two statements, without usable keys or certificates. */
export async function insertManyAgents(
  database: Database,
  { platformId, ownerId }: { readonly platformId: Uuid; readonly ownerId: Uuid },
  count: number,
): Promise<void> {
  await database.inTransaction(async tx => {
    await tx.query(
      `insert into agents (id, platform_id, owner_id, handle, name, key_hash, key_last4, public_key, created_at)
       select id, $1, $2, 'h' || replace(id::text, '-', ''), 'One of many', decode(md5(id::text), 'hex'), 'abcd', '', now()
       from (select gen_random_uuid() as id from generate_series(1, $3::int4)) ids`,
      [platformId, ownerId, count],
    )
    const made = await tx.query<{ id: Uuid }>(`select id from agents where mac is null and owner_id = $1`, [
      ownerId,
    ])
    await writeMacs(
      tx,
      TEST_VAULT,
      AGENT_ROWS,
      made.map(({ id }) => id),
    )
    await tx.query(
      `insert into accounts (id, last_posted_ms, last_spent_ms, hour_from_ms, day_from_ms, ist_day)
       select a.id, 0, 0, 0, 0, 0 from agents a left join accounts c on c.id = a.id where a.owner_id = $1 and c.id is null`,
      [ownerId],
    )
    await tx.query(
      `insert into platform_agent_counts as c (platform_id, living) values ($1, $2)
       on conflict (platform_id) do update set living = c.living + excluded.living`,
      [platformId, count],
    )
  })
}
