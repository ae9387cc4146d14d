import { type Difference, routes } from '@batua/contract'
import { page, pageOf } from '../../../http/paging.ts'
import type { Serve } from '../../../http/serve.ts'
import { formatId } from '../../../kernel/ids.ts'
import { rupees } from '../../../kernel/money.ts'
import type { ReconciliationContext } from '../context.ts'
import type { OpenDifference } from './difference.ts'
import { countOpen, selectOpen } from './store.ts'

export function serveReconciliation(
  serve: Serve,
  { database }: Pick<ReconciliationContext, 'database'>,
): void {
  serve(routes.listDifferences, async ({ query }) => {
    const request = pageOf(query)
    const kind = query.kind ?? null
    const [differences, total] = await Promise.all([
      selectOpen(database, kind, request),
      countOpen(database, kind),
    ])
    return page('differences', differences, differenceRecord, total, request)
  })
}

/** A difference as administrators see it. */
export function differenceRecord(difference: OpenDifference): Difference {
  const { kind, subject, agentId, ours, theirs, amountPaise, foundAt } = difference
  return {
    kind,
    subject,
    agent_id: agentId === null ? null : formatId('agt', agentId),
    ours,
    theirs,
    amount: rupees(amountPaise),
    found_at: foundAt.toISOString(),
  }
}
