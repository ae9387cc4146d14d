import { openCheckpoint, originOf } from '@batua/verification/checkpoint'
import { type AuditContext, acceptedKeys } from './context.ts'
import { openIntegrator } from './integrator.ts'
import { isQueuedUntil, selectLastQueued, selectTree } from './store.ts'

/**
 * The signed checkpoint of a tree that includes every entry that is committed now; null while the log cannot be
 * extended, or faster than its integration for as long as a request waits.
 */
export type CoveringCheckpoint = () => Promise<string | null>

const ATTEMPTS = 3

export function openCoveringCheckpoint(context: AuditContext): CoveringCheckpoint {
  const { database, signingKeys, serviceName } = context
  const integrator = openIntegrator(context)

  /** Whether what waits now was appended. Rows keep coming meanwhile, and may have an earlier id. */
  async function isIntegrated(): Promise<boolean> {
    const last = await selectLastQueued(database)
    if (last === null) return true
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      await integrator.catchUp()
      if (!(await isQueuedUntil(database, last))) return true
    }
    return false
  }

  return async () => {
    if (!(await isIntegrated())) return null
    const tree = await selectTree(database)
    if (tree === null) return null
    const head = openCheckpoint(tree.checkpoint, originOf(serviceName), await acceptedKeys(signingKeys))
    return head?.size === tree.size ? tree.checkpoint : null
  }
}
