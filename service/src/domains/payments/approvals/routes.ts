import { approve, getApproval, listApprovals, reject } from '@batua/contract'
import type { Database } from '../../../db/database.ts'
import type { Caller } from '../../../http/caller.ts'
import type { Serve } from '../../../http/serve.ts'
import { assert } from '../../../kernel/assert.ts'
import type { Command, Ledger } from '../../../ledger/index.ts'
import { actorOf } from '../../../operations/facts.ts'
import type { AgentPolicyCache } from '../../limits/index.ts'
import { forCaller } from '../../parties/index.ts'
import { givenBy } from '../allowances/allowance.ts'
import { withAllowance } from '../allowances/change-allowance.ts'
import type { ApprovalKey, Executors } from './approval.ts'
import { approvalRecord } from './approval-record.ts'
import { rejectCommand } from './change-approval.ts'
import { decisionFacts, NO_FACTS } from './decision-facts.ts'
import { findApprovals, NO_APPROVAL, requireApproval } from './find-approvals.ts'
import { openPaidBefore } from './paid-before.ts'

export interface ApprovalsContext {
  readonly database: Database
  readonly ledger: Ledger
  readonly agents: AgentPolicyCache
  readonly executors: Executors
}

export function serveApprovals(serve: Serve, context: ApprovalsContext): void {
  const { database, ledger, agents, executors } = context
  const forRecords = { database, ledger, agents, paidBefore: openPaidBefore(database) }

  const forOwn = <Result>(caller: Caller, { agentId }: ApprovalKey, command: Command<Result>) =>
    forCaller(agents, { caller, agentId, otherwise: NO_APPROVAL }, command)

  serve(listApprovals, ({ caller, query, now }) => findApprovals(forRecords, caller, query, now))

  serve(getApproval, async ({ caller, params, now }) => {
    const view = await requireApproval(database, caller, params.approval_id)
    const facts = await decisionFacts(forRecords, [view], now)
    return approvalRecord(view, facts.get(view.id) ?? NO_FACTS, now)
  })

  serve(approve, async ({ caller, params, body, now }) => {
    const view = await requireApproval(database, caller, params.approval_id)
    const execute = executors[view.kind]
    assert(execute !== undefined, 'every kind of approval has an executor')
    const actor = actorOf(caller, view.ownerId)
    const executed = execute(view, actor)
    const command =
      body.allow === undefined
        ? executed
        : withAllowance(executed, view, givenBy(body.allow, 'allow.'), actor)
    const { approval, made } = await ledger.submit(forOwn(caller, view, command))
    return { ...approvalRecord({ ...view, ...approval }, NO_FACTS, now), ...made }
  })

  serve(reject, async ({ caller, params, body, now }) => {
    const view = await requireApproval(database, caller, params.approval_id)
    const rejected = await ledger.submit(
      forOwn(caller, view, rejectCommand(view, actorOf(caller, view.ownerId), body.reason ?? null)),
    )
    return approvalRecord({ ...view, ...rejected }, NO_FACTS, now)
  })
}
