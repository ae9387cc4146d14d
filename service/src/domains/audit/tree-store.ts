import { arrayLiteral, textArrayLiteral } from '../../db/array-literal.ts'
import type { Queryable } from '../../db/database.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { WrittenTile } from './append.ts'
import type { CheckpointKey } from './checkpoint.ts'
import { type LeafRange, type ReadTile, type TileId, tileName, tilesOf } from './merkle.ts'

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
