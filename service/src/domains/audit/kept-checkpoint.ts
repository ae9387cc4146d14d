import { openCheckpoint, originOf, parseCheckpoint } from '@batua/verification/checkpoint'
import type { Queryable } from '../../db/database.ts'
import { isRoot } from './check-log-head.ts'
import { type AuditContext, acceptedKeys } from './context.ts'
import { selectTree } from './store.ts'

/** What the log of this database says to a checkpoint that a client kept. */
export type KeptCheckpoint =
  /** The log still begins with the entries that the checkpoint covers. */
  | { readonly kind: 'continued'; readonly size: number }
  /** It covers more entries than the log has: those were lost with the database that had them. */
  | { readonly kind: 'rolled_back'; readonly size: number; readonly missing: number }
  /** The log has as many entries, and they are not the same. */
  | { readonly kind: 'another_log'; readonly size: number }
  /** No key of this service that is not revoked has signed it. */
  | { readonly kind: 'not_signed' }

type KeptContext = Pick<AuditContext, 'database' | 'signingKeys' | 'serviceName'>

export async function openKeptCheckpoint(
  { database, signingKeys, serviceName }: KeptContext,
  note: string,
): Promise<KeptCheckpoint> {
  const head = openCheckpoint(note, originOf(serviceName), await acceptedKeys(signingKeys))
  if (head === null) return { kind: 'not_signed' }
  const { appended, waiting } = await countEntries(database)
  const { size } = head
  // What waits may be appended in another order, so a checkpoint that covers it cannot be continued for certain.
  if (size > appended) return { kind: 'rolled_back', size, missing: Math.max(0, size - appended - waiting) }
  return { kind: (await isRoot(database, head)) ? 'continued' : 'another_log', size }
}

/** How many entries the signed head of the log covers, and how many wait in the queue. */
export async function countEntries(
  db: Queryable,
): Promise<{ readonly appended: number; readonly waiting: number }> {
  const tree = await selectTree(db)
  const [queue] = await db.query<{ waiting: number }>(
    `select coalesce(sum(cardinality(ids)), 0)::float8 as waiting from audit_queue`,
    [],
  )
  return {
    appended: tree === null ? 0 : (parseCheckpoint(tree.checkpoint)?.size ?? tree.size),
    waiting: queue?.waiting ?? 0,
  }
}
