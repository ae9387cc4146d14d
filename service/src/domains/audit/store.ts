import type { CheckpointKey } from '@batua/verification/checkpoint'
import { arrayLiteral, textArrayLiteral } from '../../db/array-literal.ts'
import type { Queryable } from '../../db/database.ts'
import type { Uuid } from '../../kernel/ids.ts'
import {
  HASH_BYTES,
  type LeafRange,
  type ReadTile,
  TILE_WIDTH,
  type TileId,
  tileName,
  tilesOf,
  type WrittenTile,
} from './merkle.ts'

/** The tree's only row: its size and its signed head. It is not verified. */
export interface StoredTree {
  readonly size: number
  readonly checkpoint: string
}

/**
 * Inserts the row if there is none; of several nodes one does. If there are leaves, the row was deleted, and the log
 * must not begin again.
 */
export async function insertTree(db: Queryable, checkpoint: string, now: Date): Promise<void> {
  await db.query(
    `insert into audit_tree (size, checkpoint, signed_at)
     select 0, $1, $2 where not exists (select from audit_tiles) on conflict do nothing`,
    [checkpoint, now],
  )
}

export async function selectTree(db: Queryable): Promise<StoredTree | null> {
  const [row] = await db.query<StoredTree>(
    `select size::float8 as size, checkpoint from audit_tree where only_row`,
    [],
  )
  return row ?? null
}

/** Locks the tree for this transaction. Null if another transaction has the lock and `waits` is false. */
export async function lockTree(tx: Queryable, waits: boolean): Promise<StoredTree | null> {
  const [row] = await tx.query<StoredTree>(waits ? LOCK : `${LOCK} skip locked`, [])
  return row ?? null
}

const LOCK = `select size::float8 as size, checkpoint from audit_tree where only_row for update`

/**
 * Fails if the signing key has been revoked since it was read: a revocation takes the same lock, so its commit is seen
 * here, and no checkpoint is written that other nodes would not accept.
 */
export async function updateTree(
  tx: Queryable,
  tree: StoredTree,
  { publicKey }: Pick<CheckpointKey, 'publicKey'>,
  now: Date,
): Promise<void> {
  const rows = await tx.query(
    `update audit_tree set size = $1, checkpoint = $2, signed_at = $3
     where only_row
       and not exists (select from signing_keys k where k.public_key = $4 and k.revoked_at is not null)
     returning size`,
    [tree.size, tree.checkpoint, now, publicKey],
  )
  if (rows.length === 0) throw new Error('the key of the audit checkpoint was revoked during signing')
}

/** Reads all tiles that the roots of these ranges are computed from, by one statement. */
export function readTiles(db: Queryable, ranges: readonly LeafRange[]): Promise<ReadTile> {
  return readTilesById(db, tilesOf(ranges))
}

async function readTilesById(db: Queryable, ids: readonly TileId[]): Promise<ReadTile> {
  const rows = await db.query<{ level: number; tile: number; hashes: Buffer }>(
    `select level, tile::float8 as tile, hashes from audit_tiles
     where (level, tile) in (select * from unnest($1::int2[], $2::int8[]))`,
    [arrayLiteral(ids.map(id => id.level)), arrayLiteral(ids.map(id => id.tile))],
  )
  const tiles = new Map(rows.map(row => [tileName(row), row.hashes]))
  return id => tiles.get(tileName(id)) ?? NOTHING
}

const NOTHING = Buffer.alloc(0)

/** The ids of the leaves in a tile of level 0; none if there is no such tile. */
export async function selectTileIds(db: Queryable, tile: number): Promise<Uuid[]> {
  const [row] = await db.query<{ ids: string }>(
    `select array_to_string(ids, ',') as ids from audit_tiles where level = 0 and tile = $1`,
    [tile],
  )
  return row === undefined || row.ids === '' ? [] : row.ids.split(',')
}

export async function writeTiles(tx: Queryable, tiles: readonly WrittenTile[]): Promise<void> {
  await tx.query(
    `insert into audit_tiles (level, tile, hashes, ids, min_id, max_id)
     select v.level, v.tile, decode(v.hashes, 'hex'), v.ids::uuid[], v.min_id, v.max_id
     from unnest($1::int2[], $2::int8[], $3::text[], $4::text[], $5::uuid[], $6::uuid[])
       v(level, tile, hashes, ids, min_id, max_id)
     on conflict (level, tile) do update set hashes = excluded.hashes, ids = excluded.ids,
       min_id = excluded.min_id, max_id = excluded.max_id`,
    [
      arrayLiteral(tiles.map(tile => tile.level)),
      arrayLiteral(tiles.map(tile => tile.tile)),
      arrayLiteral(tiles.map(tile => tile.hashes.toString('hex'))),
      textArrayLiteral(tiles.map(tile => tile.ids && arrayLiteral(tile.ids))),
      arrayLiteral(tiles.map(tile => tile.ids && least(tile.ids))),
      arrayLiteral(tiles.map(tile => tile.ids && greatest(tile.ids))),
    ],
  )
}

/** The order is PostgreSQL's: the lower-case text of uuids sorts the same way. */
function least(ids: readonly Uuid[]): Uuid | null {
  return ids.reduce<Uuid | null>((best, id) => (best === null || id < best ? id : best), null)
}

function greatest(ids: readonly Uuid[]): Uuid | null {
  return ids.reduce<Uuid | null>((best, id) => (best === null || id > best ? id : best), null)
}

/** The leaves that one commit queued for the tree. They are not verified. */
export interface QueuedRow {
  readonly id: Uuid
  /** As an array literal, as the MAC covers it. */
  readonly ids: string
  readonly hashes: Buffer
  readonly mac: Buffer
}

/** How much is read at once. */
export interface QueueLimits {
  readonly rows: number
  /** The row that exceeds it is the last. */
  readonly leaves: number
}

/** Whether leaves wait in the queue: an SQL expression. */
export const LEAVES_WAIT = 'exists (select from audit_queue)'

/** The queued rows in the order of their ids. Only the transaction that has locked the tree may remove them. */
export async function selectQueue(tx: Queryable, limits: QueueLimits): Promise<QueuedRow[]> {
  return tx.query<QueuedRow>(
    `select id, ids::text as ids, hashes, seal as mac
     from (
       select q.id, q.ids, q.hashes, q.seal, sum(cardinality(q.ids)) over (order by q.id) - cardinality(q.ids) as before
       from (select id, ids, hashes, seal from audit_queue order by id limit $1) q
     ) counted
     where before < $2 order by id`,
    [limits.rows, limits.leaves],
  )
}

export async function deleteQueued(tx: Queryable, ids: readonly Uuid[]): Promise<void> {
  await tx.query(`delete from audit_queue where id = any($1::uuid[])`, [arrayLiteral(ids)])
}

/** Moves rows that must not be appended to the tree to audit_refused. */
export async function refuseQueued(tx: Queryable, ids: readonly Uuid[], now: Date): Promise<void> {
  await tx.query(
    `with refused as (delete from audit_queue where id = any($1::uuid[]) returning id, ids, hashes, seal)
     insert into audit_refused (id, ids, hashes, seal, refused_at)
     select id, ids, hashes, seal, $2 from refused`,
    [arrayLiteral(ids), now],
  )
}

/** Which of these entries are in the tree already. */
export async function selectIntegrated(db: Queryable, ids: readonly Uuid[]): Promise<ReadonlySet<Uuid>> {
  if (ids.length === 0) return new Set()
  const sorted = ids.toSorted()
  const rows = await db.query<{ id: Uuid }>(
    `select known.id from audit_tiles t, unnest(t.ids) known(id)
     where t.level = 0 and t.max_id >= $1 and t.min_id <= $2 and known.id = any($3::uuid[])`,
    [sorted.at(0), sorted.at(-1), arrayLiteral(sorted)],
  )
  return new Set(rows.map(row => row.id))
}

/** The last row of the queue; null: it is empty. */
export async function selectLastQueued(db: Queryable): Promise<Uuid | null> {
  const [row] = await db.query<{ id: Uuid }>(`select id from audit_queue order by id desc limit 1`, [])
  return row?.id ?? null
}

/** Whether a row of the queue waits that is no later than this one. */
export async function isQueuedUntil(db: Queryable, id: Uuid): Promise<boolean> {
  const rows = await db.query(`select 1 from audit_queue where id <= $1 limit 1`, [id])
  return rows.length > 0
}

/** Whether an entry is in the queue. */
export async function isQueued(db: Queryable, id: Uuid): Promise<boolean> {
  const rows = await db.query(`select 1 from audit_queue where ids @> array[$1::uuid]`, [id])
  return rows.length > 0
}

/** The index and hash of an entry's leaf, as the tiles have them. */
export interface PlacedLeaf {
  readonly index: number
  readonly hash: Buffer
}

/**
 * Finds the leaf of an entry. Ids contain their time and leaves are nearly in that order, so it is in one of the first
 * tiles whose last id is later; a leaf that was added much later is in another tile whose range of ids includes it.
 */
export async function findLeaf(db: Queryable, id: Uuid): Promise<PlacedLeaf | null> {
  return (
    placed(await db.query<LeafRow>(SELECT_NEAR, [id])) ?? placed(await db.query<LeafRow>(SELECT_AROUND, [id]))
  )
}

/** Searches every tile, in case the indexed columns of one were edited. */
export async function findLeafAnywhere(db: Queryable, id: Uuid): Promise<PlacedLeaf | null> {
  return placed(await db.query<LeafRow>(SELECT_ANYWHERE, [id]))
}

interface LeafRow {
  readonly tile: number
  readonly position: number
  readonly hash: Buffer
}

const SELECT_LEAF = `
  select tile::float8 as tile, array_position(ids, $1) - 1 as position,
    substring(hashes from (array_position(ids, $1) - 1) * ${HASH_BYTES} + 1 for ${HASH_BYTES}) as hash`

const SELECT_NEAR = `${SELECT_LEAF}
  from (
    select tile, ids, hashes from audit_tiles where level = 0 and max_id >= $1 order by max_id, min_id limit 4
  ) near
  where ids @> array[$1::uuid] limit 1`

const SELECT_AROUND = `${SELECT_LEAF} from audit_tiles
  where level = 0 and max_id >= $1 and min_id <= $1 and ids @> array[$1::uuid] limit 1`

const SELECT_ANYWHERE = `${SELECT_LEAF} from audit_tiles where level = 0 and ids @> array[$1::uuid] limit 1`

function placed([row]: readonly LeafRow[]): PlacedLeaf | null {
  return row === undefined ? null : { index: row.tile * TILE_WIDTH + row.position, hash: row.hash }
}
