import { arrayLiteral, textArrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import { assert } from '../../../kernel/assert.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { slicesOf } from '../../../kernel/slices.ts'

/** Payments' events of one platform that have had no attempt yet. */
export interface Chunk {
  /** The id of its first event when it was inserted. */
  readonly id: Uuid
  readonly eventIds: readonly Uuid[]
}

/** Bounds the size of a row, which is rewritten as its events are delivered. */
const CHUNK_EVENTS = 128

export async function insertBacklog(
  tx: Queryable,
  events: ReadonlyMap<Uuid, readonly Uuid[]>,
): Promise<void> {
  const chunks = [...events].flatMap(([platformId, ids]) =>
    slicesOf(ids, CHUNK_EVENTS).map(eventIds => ({ platformId, eventIds })),
  )
  if (chunks.length === 0) return
  await tx.query(
    `insert into webhook_backlog (platform_id, id, event_ids)
     select platform_id, id, event_ids::uuid[]
     from unnest($1::uuid[], $2::uuid[], $3::text[]) v(platform_id, id, event_ids)`,
    [
      arrayLiteral(chunks.map(({ platformId }) => platformId)),
      arrayLiteral(chunks.map(({ eventIds }) => firstOf(eventIds))),
      textArrayLiteral(chunks.map(({ eventIds }) => arrayLiteral(eventIds))),
    ],
  )
}

function firstOf(ids: readonly Uuid[]): Uuid {
  const [first] = ids
  assert(first !== undefined, 'a chunk has events')
  return first
}

/** The oldest chunks of a platform, without those in `but`. */
export async function selectChunks(
  db: Queryable,
  platformId: Uuid,
  { but, limit }: { readonly but: readonly Uuid[]; readonly limit: number },
): Promise<Chunk[]> {
  const rows = await db.query<{ id: Uuid; ids: string }>(
    `select id, event_ids::text as ids from webhook_backlog
     where platform_id = $1 and id <> all ($2::uuid[]) order by id limit $3`,
    [platformId, arrayLiteral(but), limit],
  )
  return rows.map(({ id, ids }) => ({ id, eventIds: ids.slice(1, -1).split(',') }))
}

/** Writes what remains of chunks after some of their events had an attempt; a chunk without events is deleted. */
export async function replaceChunks(
  tx: Queryable,
  platformId: Uuid,
  chunks: readonly Chunk[],
): Promise<void> {
  const done = chunks.filter(chunk => chunk.eventIds.length === 0).map(chunk => chunk.id)
  const left = chunks.filter(chunk => chunk.eventIds.length > 0)
  if (done.length > 0)
    await tx.query(`delete from webhook_backlog where platform_id = $1 and id = any ($2::uuid[])`, [
      platformId,
      arrayLiteral(done),
    ])
  if (left.length > 0)
    await tx.query(
      `update webhook_backlog b set event_ids = v.event_ids::uuid[]
       from unnest($2::uuid[], $3::text[]) v(id, event_ids) where b.platform_id = $1 and b.id = v.id`,
      [
        platformId,
        arrayLiteral(left.map(chunk => chunk.id)),
        textArrayLiteral(left.map(chunk => arrayLiteral(chunk.eventIds))),
      ],
    )
}
