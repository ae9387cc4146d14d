import type { EscrowHold, PaymentResult } from '@batua/contract'
import type { Queryable } from '../db/database.ts'
import type { Approval, Approved, Executors } from '../domains/payments/approvals/approval.ts'
import { rejectCommand } from '../domains/payments/approvals/change-approval.ts'
import { selectApproval } from '../domains/payments/approvals/store.ts'
import { executeAuthorization } from '../domains/payments/authorizations/authorize.ts'
import { executeHold } from '../domains/payments/escrow/hold.ts'
import { executePayment } from '../domains/payments/pay.ts'
import { parseId } from '../kernel/ids.ts'
import { service } from '../operations/facts.ts'
import type { TestNode } from './builders.ts'

/** The stored approval that a payment or a hold waits for. */
export async function approvalOf(
  database: Queryable,
  asked: Pick<PaymentResult, 'approval_id'> | EscrowHold,
): Promise<Approval> {
  const text = 'approval_id' in asked ? asked.approval_id : undefined
  const id = text === undefined ? null : parseId('apr', text)
  const approval = id === null ? null : await selectApproval(database, id)
  if (approval === null) throw new Error(`no approval waits for ${JSON.stringify(asked)}`)
  return approval
}

/** Approves as the owner, on one node. */
export function approve({ ledger, agents }: TestNode, approval: Approval): Promise<Approved> {
  const executors: Executors = {
    payment: executePayment(agents),
    escrow_hold: executeHold(agents),
    authorization: executeAuthorization(agents, async () => {
      throw new Error('a node of tests signs no token of an authorization')
    }),
  }
  const execute = executors[approval.kind]
  if (execute === undefined) throw new Error(`nothing executes an approval of the kind ${approval.kind}`)
  return ledger.submit(execute(approval, { actor: service('test'), evidence: null }))
}

export function reject({ ledger }: TestNode, approval: Approval): Promise<Approval> {
  return ledger.submit(rejectCommand(approval, service('test'), null))
}

/** Reads the stored approval again. */
export async function writtenOf(database: Queryable, { id }: Approval): Promise<Approval> {
  const approval = await selectApproval(database, id)
  if (approval === null) throw new Error('an approval is never removed')
  return approval
}
