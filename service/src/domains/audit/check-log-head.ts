import { openCheckpoint, parseCheckpoint, type TreeHead } from '@batua/verification/checkpoint'
import type { Queryable } from '../../db/database.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { Vault } from '../../kernel/secrets.ts'
import type { Finding } from '../../operations/scan.ts'
import { tileFault } from './check-log-leaves.ts'
import { selectRefused, selectStrayTiles } from './check-log-store.ts'
import { isGenuine } from './integrate.ts'
import { hasTiles, rangeRoot } from './merkle.ts'
import { type QueueLimits, readTiles, selectQueue, selectTree } from './store.ts'

/** The head of the log at one moment, with its faults. */
export interface CheckedHead {
  /** The signed head that matches the tree; null if there is none. */
  readonly head: TreeHead | null
  /** The stored number of leaves. */
  readonly size: number
  readonly faults: readonly Finding[]
}

/**
 * Checks that the tree matches its checkpoint and that an accepted key signed it. `lastSeen` is the head that this
 * process remembers: that tree must be a prefix of this one, whichever key has signed it since.
 */
export async function checkHead(
  tx: Queryable,
  publicKeys: readonly string[],
  lastSeen: TreeHead | null,
): Promise<CheckedHead> {
  const tree = await selectTree(tx)
  if (tree === null) {
    const faults = lastSeen === null ? [] : [checkpointFault('it was deleted')]
    return { head: null, size: 0, faults: [...faults, ...(await strayTiles(tx, 0))] }
  }
  const origin = parseCheckpoint(tree.checkpoint)?.origin ?? ''
  const head = openCheckpoint(tree.checkpoint, origin, publicKeys)
  const detail =
    head === null ? 'no accepted key has signed it' : await faultOf(tx, tree.size, head, lastSeen)
  const faults = detail === null ? [] : [checkpointFault(detail)]
  const stray = await strayTiles(tx, tree.size)
  return { head: detail === null ? head : null, size: tree.size, faults: [...faults, ...stray] }
}

async function faultOf(
  tx: Queryable,
  size: number,
  head: TreeHead,
  lastSeen: TreeHead | null,
): Promise<string | null> {
  if (head.size !== size) return `it covers ${head.size} leaves, but the tree has ${size}`
  if (!(await isRoot(tx, head))) return 'its root does not match the tiles'
  if (lastSeen === null) return null
  if (head.size < lastSeen.size)
    return `it covers ${head.size} leaves, fewer than the ${lastSeen.size} seen before`
  return (await isRoot(tx, lastSeen))
    ? null
    : `the first ${lastSeen.size} leaves differ from those seen before`
}

/** Whether the tree still begins with the one of this head. */
export async function isRoot(tx: Queryable, { size, root }: TreeHead): Promise<boolean> {
  const range = { start: 0, end: size }
  const read = await readTiles(tx, [range])
  return hasTiles([range], read) && rangeRoot(range, read).equals(root)
}

async function strayTiles(tx: Queryable, size: number): Promise<Finding[]> {
  const stray = await selectStrayTiles(tx, size)
  return stray.map(tile => tileFault(tile, 'it is beyond the end of the tree'))
}

const QUEUE_AT_ONCE: QueueLimits = { rows: 1_000, leaves: 20_000 }

/** The rows of the queue that failed MAC verification, and those that were refused because of that. */
export async function checkQueue(tx: Queryable, vault: Vault): Promise<Finding[]> {
  const forged = (await selectQueue(tx, QUEUE_AT_ONCE)).filter(row => !isGenuine(vault, row))
  const refused = await selectRefused(tx)
  return [
    ...forged.map(({ id }) => queueFault(id, 'it failed MAC verification')),
    ...refused.map(id => queueFault(id, 'it was refused')),
  ]
}

function checkpointFault(detail: string): Finding {
  return { subject: 'checkpoint', kind: 'bad_checkpoint', detail }
}

function queueFault(id: Uuid, detail: string): Finding {
  return { subject: `queue ${id}`, kind: 'forged_queue', detail }
}
