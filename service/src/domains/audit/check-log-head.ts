import type { Queryable } from '../../db/database.ts'
import type { Vault } from '../../kernel/secrets.ts'
import { checkpointFault, type LogFault, queueFault, tileFault } from './check-log-faults.ts'
import { selectRefused, selectStrayTiles } from './check-log-rows-store.ts'
import { openCheckpoint, parseCheckpoint, type TreeHead } from './checkpoint.ts'
import { isGenuine } from './integrate.ts'
import { hasTiles, rangeRoot } from './merkle.ts'
import { type QueueLimits, selectQueue } from './queue-store.ts'
import { readTiles, selectTree } from './tree-store.ts'

/** What the log says of itself at one moment. */
export interface CheckedHead {
  /** What is signed and is the tree’s; null when nothing is. */
  readonly head: TreeHead | null
  /** How many leaves the tree says it has. */
  readonly size: number
  readonly faults: readonly LogFault[]
}

/**
 * Whether the tree is what its checkpoint says, and that a key of the service has signed. `lastSeen` is what this process
 * remembers: the log of then must still be the beginning of it, whoever has signed it since.
 */
export async function checkHead(
  tx: Queryable,
  publicKeys: readonly string[],
  lastSeen: TreeHead | null,
): Promise<CheckedHead> {
  const tree = await selectTree(tx)
  if (tree === null) {
    const faults = lastSeen === null ? [] : [checkpointFault('there is none any more')]
    return { head: null, size: 0, faults: [...faults, ...(await strayTiles(tx, 0))] }
  }
  const origin = parseCheckpoint(tree.checkpoint)?.origin ?? ''
  const head = openCheckpoint(tree.checkpoint, origin, publicKeys)
  const detail = head === null ? 'no key has signed it' : await whatIsWrong(tx, tree.size, head, lastSeen)
  const faults = detail === null ? [] : [checkpointFault(detail)]
  const stray = await strayTiles(tx, tree.size)
  return { head: detail === null ? head : null, size: tree.size, faults: [...faults, ...stray] }
}

async function whatIsWrong(
  tx: Queryable,
  size: number,
  head: TreeHead,
  lastSeen: TreeHead | null,
): Promise<string | null> {
  if (head.size !== size) return `it is of ${head.size} leaves, not ${size}`
  if (!(await isRoot(tx, head))) return 'its root is not that of the tiles'
  if (lastSeen === null) return null
  if (head.size < lastSeen.size) return `there were ${lastSeen.size} leaves before`
  return (await isRoot(tx, lastSeen)) ? null : `the first ${lastSeen.size} leaves were others before`
}

async function isRoot(tx: Queryable, { size, root }: TreeHead): Promise<boolean> {
  const range = { start: 0, end: size }
  const read = await readTiles(tx, [range])
  return hasTiles([range], read) && rangeRoot(range, read).equals(root)
}

async function strayTiles(tx: Queryable, size: number): Promise<LogFault[]> {
  const stray = await selectStrayTiles(tx, size)
  return stray.map(tile => tileFault(tile, 'the tree has no such tile'))
}

const QUEUE_AT_ONCE: QueueLimits = { rows: 1_000, leaves: 20_000 }

/** Rows of the queue that no node has written, and those that were put aside because of that. */
export async function checkQueue(tx: Queryable, vault: Vault): Promise<LogFault[]> {
  const forged = (await selectQueue(tx, QUEUE_AT_ONCE)).filter(row => !isGenuine(vault, row))
  const refused = await selectRefused(tx)
  return [
    ...forged.map(({ id }) => queueFault(id, 'it is not as a node wrote it')),
    ...refused.map(id => queueFault(id, 'it was put aside')),
  ]
}
