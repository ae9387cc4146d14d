import { getCheckpoint, getConsistency, listAuditEntries, verifyAuditEntry } from '@batua/contract'
import type { Serve } from '../../http/serve.ts'
import { AppError } from '../../kernel/app-error.ts'
import { assert } from '../../kernel/assert.ts'
import type { AuditContext } from './context.ts'
import { type Integrator, openIntegrator } from './integrator.ts'
import { proveConsistency } from './prove.ts'
import { type StoredTree, selectTree } from './store.ts'
import { readTrail, type TrailContext } from './trail.ts'
import { openPaymentCounts } from './trail-store.ts'
import { verifyEntry } from './verify-entry.ts'

export function serveAudit(serve: Serve, context: AuditContext & TrailContext): void {
  const integrator = openIntegrator(context)
  const trails = { ...context, paymentCounts: openPaymentCounts() }
  serve(verifyAuditEntry, ({ caller, query }) => verifyEntry(context, integrator, caller, query.audit_id))
  serve(listAuditEntries, ({ caller, params, query }) => readTrail(trails, caller, params.agent_id, query))
  serve(getCheckpoint, async () => ({ checkpoint: (await newestTree(context, integrator)).checkpoint }))
  serve(getConsistency, async ({ query: { from, to } }) => {
    const { size } = await newestTree(context, integrator)
    if (from > to) throw invalid('from', 'from must not be larger than to')
    if (to > size) throw invalid('to', `to must not be larger than the newest checkpoint’s size, ${size}`)
    const proof = await proveConsistency(context.database, from, to)
    assert(proof !== null, 'the log has the tiles that its checkpoint covers')
    return { from, to, proof: proof.map(node => node.toString('hex')) }
  })
}

/** Creates the empty log when it is first read, if no leaf was appended yet. */
async function newestTree({ database }: AuditContext, integrator: Integrator): Promise<StoredTree> {
  const tree = await selectTree(database)
  if (tree !== null) return tree
  await integrator.catchUp()
  const made = await selectTree(database)
  assert(made !== null, 'the log has a checkpoint')
  return made
}

function invalid(field: string, message: string): AppError {
  return new AppError('validation_error', message, { field })
}
