import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Queryable } from '../../db/database.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { Vault } from '../../kernel/secrets.ts'
import { canonicalJson } from '../../kernel/signing.ts'
import { isGenuine, type StoredTransfer } from '../../ledger/index.ts'
import { leafHash, paymentLeaf } from '../../operations/audit-entry.ts'
import { entryFault, type LogFault, tileFault } from './check-log-faults.ts'
import {
  selectEntries,
  selectLeafTiles,
  selectPayments,
  selectUpperTiles,
  type TileRow,
  type UpperTile,
} from './check-log-rows-store.ts'
import { HASH_BYTES, TILE_WIDTH, tileRoot } from './merkle.ts'
import { type EntryRow, entryOf } from './read-entry.ts'

/** Checks tiles of leaves: the tiles themselves, the hashes above them, and the entries of their leaves. */
export async function checkTiles(
  tx: Queryable,
  vault: Vault,
  size: number,
  from: number,
  count: number,
): Promise<LogFault[]> {
  const tiles = new Map((await selectLeafTiles(tx, from, count)).map(tile => [tile.tile, tile]))
  const faults: LogFault[] = []
  const whole: TileRow[] = []
  for (let tile = from; tile < from + count; tile++) {
    const row = tiles.get(tile)
    const leaves = Math.min(TILE_WIDTH, size - tile * TILE_WIDTH)
    const detail = row === undefined ? 'it is missing' : shapeFault(row, leaves)
    if (detail !== null) faults.push(tileFault({ level: 0, tile }, detail))
    if (row !== undefined && row.hashes.length === row.ids.length * HASH_BYTES) whole.push(row)
  }
  faults.push(...(await checkAbove(tx, size, whole, from, count)))
  for (const tile of whole) {
    // Yields to waiting requests.
    await nextTurn()
    faults.push(...(await checkLeaves(tx, vault, tile)))
  }
  return faults
}

function shapeFault({ hashes, ids, minId, maxId }: TileRow, leaves: number): string | null {
  if (hashes.length !== leaves * HASH_BYTES || ids.length !== leaves) return `it has not ${leaves} leaves`
  const sorted = ids.toSorted()
  return minId === sorted.at(0) && maxId === sorted.at(-1) ? null : 'its range of ids is not theirs'
}

/** Checks that the root of every full tile is in the level above, for all levels that are completed by these tiles. */
async function checkAbove(
  tx: Queryable,
  size: number,
  leaves: readonly TileRow[],
  from: number,
  count: number,
): Promise<LogFault[]> {
  const faults: LogFault[] = []
  let below = new Map<number, Buffer>(leaves.map(({ tile, hashes }) => [tile, hashes]))
  let [start, end, entries] = [from, from + count, size]
  for (let level = 0; below.size > 0; level++) {
    entries = Math.floor(entries / TILE_WIDTH)
    const full = [...below].filter(([, hashes]) => hashes.length === TILE_BYTES)
    const above = await readAbove(
      tx,
      level + 1,
      entries,
      full.map(([tile]) => tile),
    )
    faults.push(...above.faults)
    for (const [tile, hashes] of full) {
      if (!hashIn(above.tiles, tile).equals(tileRoot(hashes)))
        faults.push(tileFault({ level, tile }, 'its root does not match the level above'))
    }
    // A tile of a higher level is checked with the last tile below it.
    const [first, last] = [start, end]
    const ends = ([tile]: readonly [number, Buffer]) =>
      (tile + 1) * TILE_WIDTH > first && (tile + 1) * TILE_WIDTH <= last
    below = new Map([...above.tiles].filter(ends))
    ;[start, end] = [Math.floor(start / TILE_WIDTH), Math.floor(end / TILE_WIDTH)]
  }
  return faults
}

const TILE_BYTES = TILE_WIDTH * HASH_BYTES

/** Reads the tiles of a level; `entries` is the number of hashes of that level. */
async function readAbove(
  tx: Queryable,
  level: number,
  entries: number,
  below: readonly number[],
): Promise<{ tiles: Map<number, Buffer>; faults: LogFault[] }> {
  const numbers = [...new Set(below.map(tile => Math.floor(tile / TILE_WIDTH)))]
  const rows = numbers.length === 0 ? [] : await selectUpperTiles(tx, level, numbers)
  const isWrong = ({ tile, hashes, isBare }: UpperTile) =>
    !isBare || hashes.length !== Math.min(TILE_WIDTH, entries - tile * TILE_WIDTH) * HASH_BYTES
  return {
    tiles: new Map(rows.map(({ tile, hashes }) => [tile, hashes])),
    faults: rows
      .filter(isWrong)
      .map(({ tile }) => tileFault({ level, tile }, 'it does not match the tiles below')),
  }
}

function hashIn(above: ReadonlyMap<number, Buffer>, tile: number): Buffer {
  const hashes = above.get(Math.floor(tile / TILE_WIDTH)) ?? Buffer.alloc(0)
  const first = (tile % TILE_WIDTH) * HASH_BYTES
  return hashes.subarray(first, first + HASH_BYTES)
}

/** Checks that every leaf of a tile is the hash of the stored entry with its id. */
async function checkLeaves(
  tx: Queryable,
  vault: Vault,
  { ids, hashes }: Pick<TileRow, 'ids' | 'hashes'>,
): Promise<LogFault[]> {
  const stored = new Map<Uuid, (string | null)[]>()
  const add = (id: Uuid, hash: string | null) => stored.set(id, [...(stored.get(id) ?? []), hash])
  for (const row of await selectEntries(tx, ids)) add(row.id, hashOfEntry(row))
  for (const row of await selectPayments(tx, ids)) add(row.id, hashOfPayment(vault, row))
  return ids.flatMap((id, index) => {
    const found = stored.get(id)
    if (found === undefined)
      return [entryFault(id, 'missing_entry', 'its leaf is in the tree, but the entry is not stored')]
    if (found.length > 1) return [entryFault(id, 'altered_entry', 'it is stored twice')]
    const leaf = hashes.toString('hex', index * HASH_BYTES, (index + 1) * HASH_BYTES)
    return found[0] === leaf ? [] : [entryFault(id, 'altered_entry', 'it does not hash to its leaf')]
  })
}

function hashOfEntry(row: EntryRow): string | null {
  const found = entryOf(row)
  return found.kind === 'entry' ? leafHash(canonicalJson(found.content)) : null
}

function hashOfPayment(vault: Vault, row: StoredTransfer): string | null {
  return isGenuine(vault, row) ? paymentLeaf(row).hash : null
}
