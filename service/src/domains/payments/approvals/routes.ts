import {
  approve,
  type BodyOf,
  challengeApproval,
  getApproval,
  listApprovals,
  reject,
  type SignedChallenge,
} from '@batua/contract'
import type { Database } from '../../../db/database.ts'
import type { Caller } from '../../../http/caller.ts'
import type { Serve } from '../../../http/serve.ts'
import { raise } from '../../../kernel/app-error.ts'
import { assert } from '../../../kernel/assert.ts'
import type { Command, Ledger } from '../../../ledger/index.ts'
import { actorOf } from '../../../operations/facts.ts'
import type { AgentPolicyCache } from '../../limits/index.ts'
import { forCaller, type WithStepUp } from '../../parties/index.ts'
import { givenBy } from '../allowances/allowance.ts'
import { withAllowance } from '../allowances/change-allowance.ts'
import type { ApprovalKey, Executors } from './approval.ts'
import { approvalDocument, approvalRecord } from './approval-record.ts'
import { rejectCommand } from './change-approval.ts'
import { decideOpen } from './decide.ts'
import { NO_FACTS } from './decision-facts.ts'
import { findApprovals, NO_APPROVAL, requireApproval, shownFacts } from './find-approvals.ts'
import { openPaidBefore } from './paid-before.ts'

export interface ApprovalsContext extends WithStepUp {
  readonly database: Database
  readonly ledger: Ledger
  readonly agents: AgentPolicyCache
  readonly executors: Executors
}

export function serveApprovals(serve: Serve, context: ApprovalsContext): void {
  const { database, ledger, agents, executors, stepUp } = context
  const forRecords = { database, ledger, agents, paidBefore: openPaidBefore(database) }

  const forOwn = <Result>(caller: Caller, { agentId }: ApprovalKey, command: Command<Result>) =>
    forCaller(agents, { caller, agentId, otherwise: NO_APPROVAL }, command)

  serve(listApprovals, ({ caller, query, now }) => findApprovals(forRecords, caller, query, now))

  serve(getApproval, async ({ caller, params, now }) => {
    const view = await requireApproval(database, caller, params.approval_id)
    const shown = await shownFacts(forRecords, [view], now)
    return approvalRecord(view, shown(view), now)
  })

  serve(challengeApproval, async ({ caller, params, body, now }) => {
    const view = await requireApproval(database, caller, params.approval_id)
    const open = decideOpen(view, now.getTime())
    if (open.kind === 'refusal') raise(open)
    return stepUp.challenge(caller, () => approvalDocument(view, body.allow ?? null), now)
  })

  serve(approve, async ({ caller, params, body, headers, now }) => {
    const view = await requireApproval(database, caller, params.approval_id)
    const open = decideOpen(view, now.getTime())
    if (open.kind === 'refusal') raise(open)
    const document = () => approvalDocument(view, body.allow ?? null)
    const evidence = await stepUp.confirm({ caller, headers, now }, document, signedIn(body))
    const execute = executors[view.kind]
    assert(execute !== undefined, 'every kind of approval has an executor')
    const actor = actorOf(caller, view.ownerId)
    const executed = execute(view, { actor, evidence })
    const command =
      body.allow === undefined
        ? executed
        : withAllowance(executed, view, givenBy(body.allow, 'allow.'), actor)
    const { approval, made, signed } = await ledger.submit(forOwn(caller, view, command))
    const record = approvalRecord({ ...view, ...approval }, { ...NO_FACTS, evidence }, now)
    return { ...record, ...made, ...(await signed?.()) }
  })

  serve(reject, async ({ caller, params, body, now }) => {
    const view = await requireApproval(database, caller, params.approval_id)
    const rejected = await ledger.submit(
      forOwn(caller, view, rejectCommand(view, actorOf(caller, view.ownerId), body.reason ?? null)),
    )
    return approvalRecord({ ...view, ...rejected }, { ...NO_FACTS, evidence: null }, now)
  })
}

/** What a passkey signed, if the request has both parts. */
function signedIn({ challenge_id, response }: BodyOf<typeof approve>): SignedChallenge | null {
  return challenge_id === undefined || response === undefined ? null : { challenge_id, response }
}
