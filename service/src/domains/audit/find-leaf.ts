import type { Queryable } from '../../db/database.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { HASH_BYTES, TILE_WIDTH } from './merkle.ts'

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
