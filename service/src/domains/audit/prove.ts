import { openCheckpoint, originOf, type TreeHead } from '@batua/verification/checkpoint'
import { verifyInclusion } from '@batua/verification/verify-proof'
import type { Queryable } from '../../db/database.ts'
import { type AuditContext, acceptedKeys } from './context.ts'
import { consistencyRanges, hasTiles, inclusionRanges, type LeafRange, rangeRoot } from './merkle.ts'
import { readTiles, type StoredTree, selectTree } from './store.ts'

type ProofContext = Pick<AuditContext, 'database' | 'signingKeys' | 'serviceName'>

/** A proof that the newest checkpoint covers a leaf. */
export interface Inclusion {
  readonly head: TreeHead
  readonly checkpoint: string
  readonly proof: readonly Buffer[]
}

/** Proves a leaf against the newest checkpoint; null if the log failed verification. */
export async function proveInclusion(
  context: ProofContext,
  index: number,
  leaf: Buffer,
): Promise<Inclusion | null> {
  const tree = await selectTree(context.database)
  const head = tree && (await openHead(context, tree))
  if (tree === null || head === null || index >= head.size) return null
  const proof = await readRoots(context.database, inclusionRanges(index, head.size))
  if (proof === null || !verifyInclusion({ leaf, index, size: head.size, proof }, head.root)) return null
  return { head, checkpoint: tree.checkpoint, proof }
}

/** The signed head; null if its signature is invalid or its size is not the stored one. */
async function openHead(
  { signingKeys, serviceName }: ProofContext,
  { size, checkpoint }: StoredTree,
): Promise<TreeHead | null> {
  const publicKeys = await acceptedKeys(signingKeys)
  const head = openCheckpoint(checkpoint, originOf(serviceName), publicKeys)
  return head?.size === size ? head : null
}

/** Proves that the tree of `from` leaves is a prefix of the tree of `to` leaves; null if tiles are missing. */
export function proveConsistency(db: Queryable, from: number, to: number): Promise<Buffer[] | null> {
  return readRoots(db, consistencyRanges(from, to))
}

/** Whether the newest checkpoint is signed and matches the tree; true if there is no tree yet. */
export async function isAsSigned(context: ProofContext): Promise<boolean> {
  const tree = await selectTree(context.database)
  if (tree === null) return true
  const head = await openHead(context, tree)
  const roots = head && (await readRoots(context.database, [{ start: 0, end: head.size }]))
  return roots?.[0]?.equals(head?.root ?? NOTHING) ?? false
}

const NOTHING = Buffer.alloc(0)

async function readRoots(db: Queryable, ranges: readonly LeafRange[]): Promise<Buffer[] | null> {
  if (ranges.length === 0) return []
  const read = await readTiles(db, ranges)
  return hasTiles(ranges, read) ? ranges.map(range => rangeRoot(range, read)) : null
}
