import { createHash } from 'node:crypto'
import { appendLeaves, type ReadTile, rangeRoot, type TileId } from '../merkle.ts'

/** The tree in tiles, without a database. */
export interface MemoryTree {
  readonly read: ReadTile
  size(): number
  append(leaves: readonly Buffer[]): void
  root(size?: number): Buffer
}

export function memoryTree(): MemoryTree {
  const tiles = new Map<string, Buffer>()
  const name = ({ level, tile }: TileId) => `${level}/${tile}`
  const read: ReadTile = id => tiles.get(name(id)) ?? Buffer.alloc(0)
  let size = 0
  return {
    read,
    size: () => size,
    append(leaves) {
      const lastIds = Array.from({ length: size % 256 }, () => '')
      for (const tile of appendLeaves(
        { size, read, lastIds },
        { ids: leaves.map(() => ''), hashes: Buffer.concat(leaves) },
      ))
        tiles.set(name(tile), tile.hashes)
      size += leaves.length
    },
    root: (upTo = size) => rangeRoot({ start: 0, end: upTo }, read),
  }
}

/** Distinct leaf hashes, the same each time. */
export function someLeaves(count: number, first = 0): Buffer[] {
  return Array.from({ length: count }, (_, index) =>
    createHash('sha256')
      .update(`leaf ${first + index}`)
      .digest(),
  )
}
