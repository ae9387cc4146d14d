import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Queryable } from '../../db/database.ts'
import { formatId, type Uuid } from '../../kernel/ids.ts'
import type { Vault } from '../../kernel/secrets.ts'
import { canonicalJson } from '../../kernel/signing.ts'
import { isGenuine, type StoredTransfer } from '../../ledger/index.ts'
import { leafHash } from '../../operations/audit-entry.ts'
import { type NamedPayment, paymentLeaf } from '../../operations/payment-fact.ts'
import type { Finding } from '../../operations/scan.ts'
import {
  type RowId,
  selectEntries,
  selectEntryIds,
  selectLeafIds,
  selectLeafTiles,
  selectPayments,
  selectQueued,
  selectReach,
  selectTransferIds,
  selectUpperTiles,
  type TileRow,
  type UpperTile,
} from './check-log-store.ts'
import { HASH_BYTES, TILE_WIDTH, type TileId, tileRoot } from './merkle.ts'
import { type EntryRow, entryOf } from './read-entry.ts'

/** What is wrong with an entry. Findings name ids and numbers, never the content of an entry. */
type EntryFault =
  /** Its leaf is in the tree, but the entry is not stored. */
  | 'missing_entry'
  /** It does not hash to its leaf. */
  | 'altered_entry'
  /** It is stored, but neither in the tree nor in the queue. */
  | 'not_in_log'
  /** It has two leaves. */
  | 'doubled_leaf'

function entryFault(id: Uuid, kind: EntryFault, detail: string): Finding {
  return { subject: formatId('aud', id), kind, detail }
}

export function tileFault({ level, tile }: TileId, detail: string): Finding {
  return { subject: `tile ${level}/${tile}`, kind: 'broken_tile', detail }
}

/** Checks tiles of leaves: the tiles themselves, the hashes above them, and the entries of their leaves. */
export async function checkTiles(
  tx: Queryable,
  vault: Vault,
  size: number,
  from: number,
  count: number,
): Promise<Finding[]> {
  const tiles = new Map((await selectLeafTiles(tx, from, count)).map(tile => [tile.tile, tile]))
  const faults: Finding[] = []
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
): Promise<Finding[]> {
  const faults: Finding[] = []
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
): Promise<{ tiles: Map<number, Buffer>; faults: Finding[] }> {
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
): Promise<Finding[]> {
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

function hashOfPayment(vault: Vault, row: StoredTransfer & NamedPayment): string | null {
  return isGenuine(vault, row) ? paymentLeaf(row).hash : null
}

interface CheckedRows {
  readonly faults: readonly Finding[]
  /** The last row that was checked; null if no more rows are left. */
  readonly last: Uuid | null
}

/** Entries may be far apart among payments: this bounds how much of the tree between them one slice reads. */
const TILES_AT_ONCE = 500

/** Checks that rows after an id are in the tree or in the queue. Both are read in one snapshot, so no row is in neither. */
export async function checkRows(
  tx: Queryable,
  phase: 'entries' | 'payments',
  after: Uuid,
  limit: number,
  tilesAtOnce = TILES_AT_ONCE,
): Promise<CheckedRows> {
  const found = await (phase === 'entries'
    ? selectEntryIds(tx, after, limit)
    : selectTransferIds(tx, after, limit))
  const [first] = found
  if (first === undefined) return { faults: [], last: null }
  const reach = await selectReach(tx, first.id, tilesAtOnce)
  const rows = found.filter(row => reach === null || row === first || row.id <= reach)
  const leaves = timesOf(await selectLeafIds(tx, rows.map(idOf)))
  const isAtEnd = found.length < limit && rows.length === found.length
  return { faults: await faultsOf(tx, rows, leaves), last: isAtEnd ? null : (rows.at(-1)?.id ?? null) }
}

function idOf({ id }: RowId): Uuid {
  return id
}

function timesOf(ids: readonly Uuid[]): Map<Uuid, number> {
  const times = new Map<Uuid, number>()
  for (const id of ids) times.set(id, (times.get(id) ?? 0) + 1)
  return times
}

async function faultsOf(
  tx: Queryable,
  rows: readonly RowId[],
  leaves: ReadonlyMap<Uuid, number>,
): Promise<Finding[]> {
  const entries = rows.filter(row => row.isEntry).map(idOf)
  const doubled = entries.filter(id => (leaves.get(id) ?? 0) > 1)
  const missing = entries.filter(id => !leaves.has(id))
  const queued = await selectQueued(tx, missing)
  return [
    ...doubled.map(id => entryFault(id, 'doubled_leaf', 'the tree has its leaf more than once')),
    ...missing
      .filter(id => !queued.has(id))
      .map(id => entryFault(id, 'not_in_log', 'it is neither in the tree nor in the queue')),
  ]
}
