import { approve, getApproval, listApprovals, reject } from '@batua/contract'
import type { Database } from '../../db/database.ts'
import type { Serve } from '../../http/serve.ts'
import { assert } from '../../kernel/assert.ts'
import type { Ledger } from '../../ledger/index.ts'
import { actorOf } from '../audit/index.ts'
import type { Executors } from './approval.ts'
import { approvalRecord } from './approval-record.ts'
import { findApprovals, requireApproval } from './find-approvals.ts'
import { rejectCommand } from './reject.ts'

export interface ApprovalsContext {
  readonly database: Database
  readonly ledger: Ledger
  readonly executors: Executors
}

export function serveApprovals(serve: Serve, { database, ledger, executors }: ApprovalsContext): void {
  serve(listApprovals, ({ caller, query, now }) => findApprovals(database, caller, query, now))

  serve(getApproval, async ({ caller, params, now }) =>
    approvalRecord(await requireApproval(database, caller, params.approval_id), now),
  )

  serve(approve, async ({ caller, params, now }) => {
    const view = await requireApproval(database, caller, params.approval_id)
    const execute = executors[view.kind]
    assert(execute !== undefined, 'somebody executes every kind of approval that is asked for')
    const { approval, made } = await ledger.submit(execute(view, actorOf(caller, view.ownerId)))
    return { ...approvalRecord({ ...view, ...approval }, now), ...made }
  })

  serve(reject, async ({ caller, params, now }) => {
    const view = await requireApproval(database, caller, params.approval_id)
    const rejected = await ledger.submit(rejectCommand(view, actorOf(caller, view.ownerId)))
    return approvalRecord({ ...view, ...rejected }, now)
  })
}
