import type { Queryable } from '../../db/database.ts'
import { type CheckpointKey, signCheckpoint } from './checkpoint.ts'
import { readEdge } from './read-edge.ts'
import { lockTree, updateTree } from './tree-store.ts'

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
