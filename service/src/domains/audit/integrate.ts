import {
  type CheckpointKey,
  openCheckpoint,
  originOf,
  parseCheckpoint,
  signCheckpoint,
  type TreeHead,
} from '@batua/verification/checkpoint'
import type { Queryable } from '../../db/database.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { sameHash, type Vault } from '../../kernel/secrets.ts'
import { queueMac } from '../../operations/audit-entry.ts'
import { type AuditContext, acceptedKeys } from './context.ts'
import {
  appendLeaves,
  type Edge,
  EMPTY_ROOT,
  hasTiles,
  type NewLeaves,
  type ReadTile,
  rangeRoot,
  TILE_WIDTH,
  tileName,
  type WrittenTile,
} from './merkle.ts'
import {
  deleteQueued,
  insertTree,
  lockTree,
  type QueuedRow,
  type QueueLimits,
  readTiles,
  refuseQueued,
  type StoredTree,
  selectIntegrated,
  selectQueue,
  selectTileIds,
  selectTree,
  updateTree,
  writeTiles,
} from './store.ts'

/** Few enough that requests wait only milliseconds for the processor. */
const QUEUE_LIMITS: QueueLimits = { rows: 2_000, leaves: 4_000 }

/** The result of one transaction; null: another node runs one. */
export type Integrated = Done | { readonly kind: 'tampered' } | null

interface Done {
  readonly kind: 'done'
  readonly leaves: number
  /** Rows of the queue that were refused: they failed MAC verification or are in the tree already. */
  readonly refused: readonly Uuid[]
  readonly head: TreeHead
  /** Whether it reached its limits, so that more rows may wait. */
  readonly wasFull: boolean
}

interface IntegrateOptions {
  /** Whether to wait for another node's transaction, or else return null. */
  readonly waits: boolean
  /** The head that this process saw last: the tree can only have grown since. */
  readonly lastSeen: TreeHead | null
  readonly limits?: QueueLimits
}

/** Appends queued leaves to the tree and signs the new head, in one transaction. */
export async function integrate(
  context: AuditContext,
  now: Date,
  { waits, lastSeen, limits = QUEUE_LIMITS }: IntegrateOptions,
): Promise<Integrated> {
  // Before the transaction, because keys may be read from the database, which would take a second connection.
  const signer = await openSigner(context)
  if (lastSeen === null) await makeTree(context.database, signer, now)
  return context.database.inTransaction(async tx => {
    const tree = await lockTree(tx, waits)
    if (tree === null) return (await selectTree(tx)) === null ? { kind: 'tampered' } : null
    const edge = await readEdge(tx, signer.publicKeys, tree, lastSeen)
    if (edge === null) return { kind: 'tampered' }
    return takeQueue(context.vault, tx, { edge, signer, now, limits })
  })
}

/** The key that signs checkpoints, and the keys whose signatures are accepted. */
interface Signer {
  readonly origin: string
  readonly key: CheckpointKey
  readonly publicKeys: readonly string[]
}

async function openSigner({ signingKeys, serviceName }: AuditContext): Promise<Signer> {
  const [key, publicKeys] = await Promise.all([signingKeys.current(), acceptedKeys(signingKeys)])
  return { origin: originOf(serviceName), key, publicKeys }
}

/** Creates the log with a signed checkpoint of the empty tree; several nodes may do so at once. */
async function makeTree(db: Queryable, { origin, key }: Signer, now: Date): Promise<void> {
  if ((await selectTree(db)) !== null) return
  await insertTree(db, signCheckpoint({ size: 0, root: EMPTY_ROOT }, origin, key), now)
}

interface AppendRequest {
  readonly edge: ProvenEdge
  readonly signer: Signer
  readonly now: Date
  readonly limits: QueueLimits
}

async function takeQueue(
  vault: Vault,
  tx: Queryable,
  { edge, signer, now, limits }: AppendRequest,
): Promise<Done> {
  const rows = await selectQueue(tx, limits)
  const genuine = rows.filter(row => isGenuine(vault, row))
  const integrated = await selectIntegrated(tx, genuine.map(idOf))
  const good = new Set(genuine.filter(row => !integrated.has(row.id)))
  const refused = rows.filter(row => !good.has(row)).map(idOf)
  const leaves = leavesIn([...good])
  const wasFull = rows.length >= limits.rows || leaves.ids.length >= limits.leaves || refused.length > 0
  if (refused.length > 0) await refuseQueued(tx, refused, now)
  if (leaves.ids.length === 0 && edge.origin === signer.origin)
    return { kind: 'done', leaves: 0, refused, head: edge.head, wasFull }
  const head = await writeLeaves(tx, edge, leaves)
  await deleteQueued(tx, [...good].map(idOf))
  const checkpoint = signCheckpoint(head, signer.origin, signer.key)
  await updateTree(tx, { size: head.size, checkpoint }, signer.key, now)
  return { kind: 'done', leaves: leaves.ids.length, refused, head, wasFull }
}

function idOf(row: QueuedRow): Uuid {
  return row.id
}

/** A copied row has a valid MAC, but another id: a genuine row's id is that of its first leaf. */
export function isGenuine(vault: Vault, { id, ids, hashes, mac }: QueuedRow): boolean {
  return ids.startsWith(`{${id}`) && sameHash(queueMac(vault, ids, hashes.toString('hex')), mac)
}

function leavesIn(rows: readonly QueuedRow[]): NewLeaves {
  return {
    ids: rows.flatMap(({ ids }) => ids.slice(1, -1).split(',')),
    hashes: Buffer.concat(rows.map(({ hashes }) => hashes)),
  }
}

async function writeLeaves(tx: Queryable, edge: ProvenEdge, leaves: NewLeaves): Promise<TreeHead> {
  if (leaves.ids.length === 0) return edge.head
  const tiles = appendLeaves(edge, leaves)
  await writeTiles(tx, tiles)
  const size = edge.size + leaves.ids.length
  return { size, root: rangeRoot({ start: 0, end: size }, over(edge.read, tiles)) }
}

/** Reads tiles as they are after these are written. */
function over(read: ReadTile, written: readonly WrittenTile[]): ReadTile {
  const tiles = new Map(written.map(tile => [tileName(tile), tile.hashes]))
  return id => tiles.get(tileName(id)) ?? read(id)
}

/** The proven right edge of the tree, to which leaves may be appended. */
interface ProvenEdge extends Edge {
  readonly head: TreeHead
  /** The log's name in the last checkpoint. */
  readonly origin: string
}

/**
 * The right edge of the tree, if a key of the service signed it and the tree that this process saw last is its prefix;
 * leaves are never appended to anything else.
 */
async function readEdge(
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

/**
 * Signs the log's checkpoint again with another key when a key is revoked: from then on no node accepts a checkpoint by
 * the revoked key. `publicKeys` are those accepted until now. A log that failed verification stays as it is, and the log
 * check reports it.
 */
export async function resignCheckpoint(
  tx: Queryable,
  publicKeys: readonly string[],
  key: CheckpointKey,
  now: Date,
): Promise<void> {
  const tree = await lockTree(tx, true)
  const edge = tree && (await readEdge(tx, publicKeys, tree, null))
  if (edge === null) return
  const checkpoint = signCheckpoint(edge.head, edge.origin, key)
  await updateTree(tx, { size: edge.head.size, checkpoint }, key, now)
}
