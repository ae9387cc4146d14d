import type { Queryable } from '../../db/database.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { Edge } from './append.ts'
import { openCheckpoint, parseCheckpoint, type TreeHead } from './checkpoint.ts'
import { hasTiles, rangeRoot, TILE_WIDTH } from './merkle.ts'
import { readTiles, type StoredTree, selectTileIds } from './tree-store.ts'

/** The proven right edge of the tree, to which leaves may be appended. */
export interface ProvenEdge extends Edge {
  readonly head: TreeHead
  /** The log's name in the last checkpoint. */
  readonly origin: string
}

/**
 * The right edge of the tree, if a key of the service signed it and the tree that this process saw last is its prefix;
 * leaves are never appended to anything else.
 */
export async function readEdge(
  tx: Queryable,
  publicKeys: readonly string[],
  tree: StoredTree,
  lastSeen: TreeHead | null,
): Promise<ProvenEdge | null> {
  // After the service was renamed, it appends to the log that it signed under its old name.
  const origin = parseCheckpoint(tree.checkpoint)?.origin ?? ''
  const head = openCheckpoint(tree.checkpoint, origin, publicKeys)
  if (head === null || head.size !== tree.size || head.size < (lastSeen?.size ?? 0)) return null
  const heads = lastSeen === null ? [head] : [head, lastSeen]
  const ranges = heads.map(({ size }) => ({ start: 0, end: size }))
  const [read, lastIds] = await Promise.all([readTiles(tx, ranges), readLastIds(tx, head.size)])
  const isAsSigned =
    hasTiles(ranges, read) &&
    heads.every(({ size, root }) => rangeRoot({ start: 0, end: size }, read).equals(root))
  return isAsSigned && lastIds !== null ? { size: head.size, read, lastIds, head, origin } : null
}

async function readLastIds(tx: Queryable, size: number): Promise<Uuid[] | null> {
  const filled = size % TILE_WIDTH
  if (filled === 0) return []
  const ids = await selectTileIds(tx, Math.floor(size / TILE_WIDTH))
  return ids.length === filled ? ids : null
}
