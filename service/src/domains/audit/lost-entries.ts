import type { Database, Queryable } from '../../db/database.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { Vault } from '../../kernel/secrets.ts'
import { postedIds } from '../../ledger/index.ts'
import type { EntryContent } from '../../operations/audit-entry.ts'
import { selectLeafTiles } from './check-log-store.ts'
import { TILE_WIDTH } from './merkle.ts'
import { readEntry } from './read-entry.ts'
import { selectTree } from './store.ts'

/** An entry of a database that another one does not have; null: its row was altered. */
export interface LostEntry {
  readonly id: Uuid
  readonly content: EntryContent | null
}

/** The entries that `later` has and `restored` does not, in the order of the log. Both began as one database. */
export async function* listEntriesBeyond(
  restored: Database,
  later: Database,
  vault: Vault,
): AsyncGenerator<LostEntry> {
  const from = (await selectTree(restored))?.size ?? 0
  const waiting = new Set(await queuedIds(restored))
  for await (const id of idsFrom(later, from)) {
    if (waiting.has(id)) continue
    const found = await readEntry(later, vault, id)
    yield { id, content: found.kind === 'entry' ? found.content : null }
  }
}

/** The ids of all leaves from this place on, and of those that wait for a place. */
async function* idsFrom(db: Queryable, from: number): AsyncGenerator<Uuid> {
  const end = Math.ceil(((await selectTree(db))?.size ?? 0) / TILE_WIDTH)
  for (let tile = Math.floor(from / TILE_WIDTH); tile < end; tile++) {
    const [leaves] = await selectLeafTiles(db, tile, 1)
    yield* leaves?.ids.slice(Math.max(0, from - tile * TILE_WIDTH)) ?? []
  }
  yield* await queuedIds(db)
}

async function queuedIds(db: Queryable): Promise<Uuid[]> {
  const rows = await db.query<{ id: Uuid }>(
    'select unnest(ids) as id from audit_queue order by audit_queue.id',
    [],
  )
  return rows.map(({ id }) => id)
}

/** What a client knows of, by its id as the service shows it, and the UUID of that. */
export interface Named {
  readonly id: string
  readonly uuid: Uuid
}

/** Those that are neither a transfer nor the target of an entry of the log, so this database never heard of them. */
export async function selectUnrecorded(db: Queryable, named: readonly Named[]): Promise<ReadonlySet<string>> {
  const posted = await postedIds(
    db,
    named.map(({ uuid }) => uuid),
  )
  const others = named.filter(({ uuid }) => !posted.has(uuid)).map(({ id }) => id)
  const rows = await db.query<{ target: string }>(
    `select distinct target from audit_entries where target = any($1::text[])`,
    [others],
  )
  const recorded = new Set(rows.map(({ target }) => target))
  return new Set(others.filter(id => !recorded.has(id)))
}

/** The moment of the newest entry or transfer; null: there is none. */
export async function readLastChange(db: Queryable): Promise<Date | null> {
  const [row] = await db.query<{ at: Date | null }>(
    `select greatest((select created_at from audit_entries order by id desc limit 1),
       (select posted_at from transfers order by id desc limit 1)) as at`,
    [],
  )
  return row?.at ?? null
}
