import { randomFillSync } from 'node:crypto'
import { originOf, signCheckpoint } from '@batua/verification/checkpoint'
import type { AuditContext } from '../../service/src/domains/audit/context.ts'
import {
  appendLeaves,
  HASH_BYTES,
  type ReadTile,
  rangeRoot,
  TILE_WIDTH,
  tileName,
  type WrittenTile,
} from '../../service/src/domains/audit/merkle.ts'
import { writeTiles } from '../../service/src/domains/audit/store.ts'
import { formatId, newUuid, type Uuid } from '../../service/src/kernel/ids.ts'
import { leafOf, newEntry, type StoredEntry } from '../../service/src/operations/audit-entry.ts'
import { insertEntries } from '../../service/src/operations/fact-store.ts'
import { service } from '../../service/src/operations/facts.ts'

const PORTION = 125 * TILE_WIDTH
/** The tree begins some hours ago, as if ten thousand facts a second had been recorded since. */
const LEAVES_PER_MS = 10

/**
 * Fills the log at once, as if so many leaves had been integrated. Only one fact of each portion is stored. Returns
 * the stored ones, which are spread over the tree.
 */
export async function plantTree(context: AuditContext, leaves: number): Promise<Uuid[]> {
  const startMs = context.clock.now().getTime() - leaves / LEAVES_PER_MS
  const known = new Map<string, WrittenTile>()
  const read: ReadTile = id => known.get(tileName(id))?.hashes ?? Buffer.alloc(0)
  const planted: Uuid[] = []
  for (let size = 0; size < leaves; size += PORTION) {
    const { entry, ids, hashes } = newPortion(
      Math.min(PORTION, leaves - size),
      startMs + size / LEAVES_PER_MS,
    )
    const tiles = appendLeaves({ size, read, lastIds: [] }, { ids, hashes })
    // Portions end with a tile of leaves, so only the last portion is read again.
    for (const tile of tiles) if (tile.level > 0 || size + PORTION >= leaves) known.set(tileName(tile), tile)
    await Promise.all([writeTiles(context.database, tiles), insertEntries(context.database, [entry])])
    planted.push(entry.id)
  }
  await signTree(context, leaves, read)
  return planted
}

function newPortion(count: number, firstMs: number): { entry: StoredEntry; ids: Uuid[]; hashes: Buffer } {
  const ids = Array.from({ length: count }, (_, index) => newUuid(new Date(firstMs + index / LEAVES_PER_MS)))
  const hashes = randomFillSync(Buffer.alloc(count * HASH_BYTES))
  const at = Math.floor(Math.random() * count)
  const entry = newEntry(
    {
      agentId: null,
      actor: service('bench'),
      action: 'sandbox.clock_moved',
      target: formatId('agt', newUuid(new Date(firstMs))),
      data: { seconds: at },
    },
    new Date(firstMs + at / LEAVES_PER_MS),
  )
  ids[at] = entry.id
  hashes.write(leafOf(entry).hash, at * HASH_BYTES, 'hex')
  return { entry, ids, hashes }
}

async function signTree(context: AuditContext, size: number, read: ReadTile): Promise<void> {
  const { database, clock, signingKeys, serviceName } = context
  const root = rangeRoot({ start: 0, end: size }, read)
  const checkpoint = signCheckpoint({ size, root }, originOf(serviceName), await signingKeys.current())
  await database.query(
    `insert into audit_tree (size, checkpoint, signed_at) values ($1, $2, $3)
     on conflict (only_row) do update set size = excluded.size, checkpoint = excluded.checkpoint`,
    [size, checkpoint, clock.now()],
  )
}
