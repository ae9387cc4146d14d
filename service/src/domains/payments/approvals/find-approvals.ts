import type { listApprovals, QueryOf, ResponseOf } from '@batua/contract'
import type { Queryable } from '../../../db/database.ts'
import type { Caller, OwnerCaller, PlatformCaller } from '../../../http/caller.ts'
import { page, pageOf } from '../../../http/paging.ts'
import { raise, refuse } from '../../../kernel/app-error.ts'
import { formatId, parseId } from '../../../kernel/ids.ts'
import { readRecorded } from '../../../operations/facts.ts'
import { mayAccess, selectListedAgents } from '../../parties/index.ts'
import { approvalRecord, type ShownFacts } from './approval-record.ts'
import { type DecisionFactsContext, decisionFacts, NO_FACTS } from './decision-facts.ts'
import { countApprovals, selectApprovalIds } from './list-store.ts'
import { type ApprovalView, selectApproval, selectApprovalViews } from './store.ts'

/** The approval of an id in a path, which must be the caller's; a stranger does not learn that it exists. */
export async function requireApproval(db: Queryable, caller: Caller, address: string): Promise<ApprovalView> {
  const id = parseId('apr', address)
  const view = id === null ? null : await selectApproval(db, id)
  if (view === null || !mayAccess(caller, { ...view, id: view.agentId })) {
    raise(NO_APPROVAL)
  }
  return view
}

/** What the records of these approvals show: facts for those that wait, evidence for approved ones. */
export async function shownFacts(
  context: DecisionFactsContext & { readonly database: Queryable },
  approvals: readonly ApprovalView[],
  now: Date,
): Promise<(view: ApprovalView) => ShownFacts> {
  const approved = approvals.filter(({ status }) => status === 'approved')
  const [facts, recorded] = await Promise.all([
    decisionFacts(context, approvals, now),
    readRecorded<Partial<Pick<ShownFacts, 'evidence'>>>(
      context.database,
      'approval.approved',
      approved.map(targetOf),
    ),
  ])
  return view => ({
    ...(facts.get(view.id) ?? NO_FACTS),
    evidence: recorded.get(targetOf(view))?.evidence ?? null,
  })
}

const targetOf = ({ id }: ApprovalView) => formatId('apr', id)

/** The refusal for a stranger, and for an id without an approval. */
export const NO_APPROVAL = refuse('not_found', 'There is no approval with this id')

export async function findApprovals(
  context: DecisionFactsContext & { readonly database: Queryable },
  caller: OwnerCaller | PlatformCaller,
  query: QueryOf<typeof listApprovals>,
  now: Date,
): Promise<ResponseOf<typeof listApprovals>> {
  const { database: db } = context
  const request = pageOf(query)
  const agentIds = await selectListedAgents(db, caller, query.agent_id)
  const filter = { agentIds, status: query.status ?? 'pending_approval', now }
  const [ids, total] = await Promise.all([selectApprovalIds(db, filter, request), countApprovals(db, filter)])
  const rows = ids.length === 0 ? [] : await selectApprovalViews(db, ids)
  const shown = await shownFacts(context, rows, now)
  const render = (view: ApprovalView) => approvalRecord(view, shown(view), now)
  return page('approvals', rows, render, total, request)
}
