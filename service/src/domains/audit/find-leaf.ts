import type { Queryable } from '../../db/database.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { HASH_BYTES, TILE_WIDTH } from './merkle.ts'

/** An entry's place in the tree, as the tiles have it. */
export interface PlacedLeaf {
  readonly index: number
  readonly hash: Buffer
}

/**
 * Finds the leaf of an entry. Ids are times and leaves come nearly in their order, so it is in one of the first tiles
 * that end behind it; a leaf that came much later than its id is in another one whose range of ids is around it.
 */
export async function findLeaf(db: Queryable, id: Uuid): Promise<PlacedLeaf | null> {
  return (
    placed(await db.query<LeafRow>(SELECT_NEAR, [id])) ?? placed(await db.query<LeafRow>(SELECT_AROUND, [id]))
  )
}

/** Looks at every tile, in case somebody has changed what the index says of one. */
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
