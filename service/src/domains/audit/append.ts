import type { Uuid } from '../../kernel/ids.ts'
import { HASH_BYTES, type ReadTile, TILE_WIDTH, type TileId, tileRoot } from './merkle.ts'

/** A tile to store; only those of level 0 have the ids of their leaves. */
export interface WrittenTile extends TileId {
  readonly hashes: Buffer
  readonly ids: readonly Uuid[] | null
}

/** The tree's right edge, to which leaves are appended: the contents of its last tiles. */
export interface Edge {
  readonly size: number
  readonly read: ReadTile
  /** The ids in the last tile of level 0; none if it is full. */
  readonly lastIds: readonly Uuid[]
}

/** Leaves to append: their ids, and their hashes concatenated in the same order. */
export interface NewLeaves {
  readonly ids: readonly Uuid[]
  readonly hashes: Buffer
}

/** The tiles that are new or longer after these leaves are appended. */
export function appendLeaves({ size, read, lastIds }: Edge, leaves: NewLeaves): WrittenTile[] {
  const written: WrittenTile[] = []
  let [entries, added] = [size, leaves.hashes]
  for (let level = 0; added.length > 0; level++) {
    const tiles = appendToLevel(level, entries, added, read)
    written.push(...(level === 0 ? withIds(tiles, [...lastIds, ...leaves.ids]) : tiles))
    added = Buffer.concat(tiles.filter(isFull).map(tile => tileRoot(tile.hashes)))
    entries = Math.floor(entries / TILE_WIDTH)
  }
  return written
}

function appendToLevel(level: number, entries: number, added: Buffer, read: ReadTile): WrittenTile[] {
  const first = Math.floor(entries / TILE_WIDTH)
  const filled = entries % TILE_WIDTH
  const last = filled === 0 ? NOTHING : read({ level, tile: first }).subarray(0, filled * HASH_BYTES)
  const hashes = Buffer.concat([last, added])
  return Array.from({ length: Math.ceil(hashes.length / TILE_BYTES) }, (_, index) => ({
    level,
    tile: first + index,
    hashes: hashes.subarray(index * TILE_BYTES, (index + 1) * TILE_BYTES),
    ids: null,
  }))
}

const NOTHING = Buffer.alloc(0)
const TILE_BYTES = TILE_WIDTH * HASH_BYTES

function withIds(tiles: readonly WrittenTile[], ids: readonly Uuid[]): WrittenTile[] {
  return tiles.map((tile, index) => ({
    ...tile,
    ids: ids.slice(index * TILE_WIDTH, (index + 1) * TILE_WIDTH),
  }))
}

function isFull({ hashes }: WrittenTile): boolean {
  return hashes.length === TILE_BYTES
}
