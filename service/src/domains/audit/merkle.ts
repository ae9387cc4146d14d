import { hash } from 'node:crypto'
import { EMPTY_ROOT, HASH_BYTES, NODE_PREFIX, nodeHash } from '@batua/verification/tree-hashes'
import { assert } from '../../kernel/assert.ts'
import type { Uuid } from '../../kernel/ids.ts'

/**
 * The Merkle tree of RFC 6962, section 2.1, over leaves that come as their hashes, stored in tiles (C2SP tlog-tiles):
 * tile n of level 0 has the 256 leaves from 256n on; an entry of the level above is the root of a full tile. Each
 * request to the tree becomes ranges of leaves, then the tiles that these need, then is computed from those.
 */
export const TILE_WIDTH = 256

export { EMPTY_ROOT, HASH_BYTES } from '@batua/verification/tree-hashes'

/** The leaves from `start` (inclusive) to `end` (exclusive). */
export interface LeafRange {
  readonly start: number
  readonly end: number
}

export interface TileId {
  readonly level: number
  readonly tile: number
}

/** A tile's key in a map. */
export function tileName({ level, tile }: TileId): string {
  return `${level} ${tile}`
}

/** Returns the concatenated hashes of a tile; an empty buffer if there is no such tile. */
export type ReadTile = (id: TileId) => Buffer

/** The size of the left subtree of a tree of two or more leaves: the largest power of two below its size. */
function splitOf(size: number): number {
  let split = 1
  while (split * 2 < size) split *= 2
  return split
}

/** The ranges whose roots prove that leaf `index` is in the tree, from the leaf upwards (RFC 6962, 2.1.1). */
export function inclusionRanges(index: number, size: number): LeafRange[] {
  assert(index >= 0 && index < size, 'the leaf is in the tree')
  const ranges: LeafRange[] = []
  let [start, end] = [0, size]
  while (end - start > 1) {
    const middle = start + splitOf(end - start)
    ranges.push(index < middle ? { start: middle, end } : { start, end: middle })
    if (index < middle) end = middle
    else start = middle
  }
  return ranges.toReversed()
}

/** The ranges whose roots prove that the first `from` leaves of the tree are an earlier tree (RFC 6962, 2.1.2). */
export function consistencyRanges(from: number, to: number): LeafRange[] {
  assert(from >= 0 && from <= to, 'the earlier tree is not larger')
  if (from === 0 || from === to) return []
  const ranges: LeafRange[] = []
  let [start, end] = [0, to]
  while (from < end) {
    const middle = start + splitOf(end - start)
    ranges.push(from <= middle ? { start: middle, end } : { start, end: middle })
    if (from <= middle) end = middle
    else start = middle
  }
  // The verifier knows the earlier tree's root, unless that tree ends inside a larger subtree.
  if (start > 0) ranges.push({ start, end })
  return ranges.toReversed()
}

/** The tiles that the roots of these ranges are computed from, each once. */
export function tilesOf(ranges: readonly LeafRange[]): TileId[] {
  const tiles = new Map<string, TileId>()
  for (const { level, tile } of ranges.flatMap(subtreesOf))
    tiles.set(tileName({ level, tile }), { level, tile })
  return [...tiles.values()]
}

/** Whether the tiles have all hashes that the roots of these ranges are computed from. */
export function hasTiles(ranges: readonly LeafRange[], read: ReadTile): boolean {
  return ranges
    .flatMap(subtreesOf)
    .every(subtree => hashesOf(subtree, read).length === subtree.count * HASH_BYTES)
}

/** The root of a range of leaves. */
export function rangeRoot(range: LeafRange, read: ReadTile): Buffer {
  const roots = subtreesOf(range).map(subtree => rootOf(hashesOf(subtree, read), subtree.count))
  // An incomplete tree is joined from the right: its smallest subtrees first.
  return roots.length === 0 ? EMPTY_ROOT : roots.reduceRight((right, left) => nodeHash(left, right))
}

/** A full subtree, as `count` entries of one tile. */
interface Subtree extends TileId {
  readonly first: number
  readonly count: number
}

/** The full subtrees that a range consists of, the largest first. */
function subtreesOf({ start, end }: LeafRange): Subtree[] {
  const subtrees: Subtree[] = []
  for (let from = start; from < end; ) {
    const leaves = largestPower(end - from)
    assert(from % leaves === 0, 'a range begins where a subtree of its size does')
    subtrees.push(subtreeAt(from, leaves))
    from += leaves
  }
  return subtrees
}

function largestPower(size: number): number {
  return 2 ** Math.floor(Math.log2(size))
}

function subtreeAt(from: number, leaves: number): Subtree {
  let [level, first, count] = [0, from, leaves]
  for (; count >= TILE_WIDTH; level++) {
    first /= TILE_WIDTH
    count /= TILE_WIDTH
  }
  return { level, tile: Math.floor(first / TILE_WIDTH), first: first % TILE_WIDTH, count }
}

function hashesOf({ level, tile, first, count }: Subtree, read: ReadTile): Buffer {
  return read({ level, tile }).subarray(first * HASH_BYTES, (first + count) * HASH_BYTES)
}

/**
 * The root of a power of two of hashes, level by level in one buffer. node:crypto returns hashes as hex text four times
 * faster than as buffers, and this is most of the cost of appending leaves.
 */
function rootOf(hashes: Buffer, count: number): Buffer {
  assert(hashes.length === count * HASH_BYTES, 'the tile has the hashes that are asked for')
  const nodes = Buffer.from(hashes)
  const pair = Buffer.concat([NODE_PREFIX, Buffer.alloc(2 * HASH_BYTES)])
  for (let width = count; width > 1; width /= 2) {
    for (let at = 0; at < width / 2; at++) {
      nodes.copy(pair, 1, at * 2 * HASH_BYTES, (at + 1) * 2 * HASH_BYTES)
      nodes.write(hash('sha256', pair, 'hex'), at * HASH_BYTES, 'hex')
    }
  }
  return nodes.subarray(0, HASH_BYTES)
}

/** The entry of a full tile in the level above. */
export function tileRoot(hashes: Buffer): Buffer {
  return rootOf(hashes, TILE_WIDTH)
}

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
