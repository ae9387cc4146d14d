import type { Refusal } from '../../kernel/app-error.ts'
import { assert } from '../../kernel/assert.ts'
import { newUuid } from '../../kernel/ids.ts'
import type { Book } from '../../ledger/index.ts'
import { insert, save } from '../../operations/entity.ts'
import { type Actor, service } from '../audit/index.ts'
import { recordApproval } from './acts.ts'
import type { Approval, ApprovalKey, ApprovalRequest, Decision } from './approval.ts'
import { APPROVAL_MS, decideOpen, standingAt } from './decide.ts'
import { tellApproval } from './events.ts'
import { approvals } from './store.ts'
import { noteWaiting } from './waiting.ts'

/** An approval as this batch sees it. */
export function approvalIn(book: Book, key: ApprovalKey): Approval | undefined {
  const approval = book.fact(approvals, key)
  return approval === undefined ? undefined : standingAt(approval, book.nowMs)
}

/** The approval if it still waits, else why it cannot be decided. */
export function openApproval(book: Book, seen: ApprovalKey | Approval): Refusal | Approval {
  const approval = book.fact(approvals, seen)
  // What is to be done was prepared of what was read without a proof.
  const isSame = approval === undefined || !('amountPaise' in seen) || approvals.agree(approval, seen)
  assert(isSame, 'an approval asks for what it asked for')
  return decideOpen(approval, book.nowMs)
}

/** Asks the owner, in the commit of the batch, once `decidePlace` lets it. The agent's account is locked, so its idempotency key is exact. */
export function requestApproval(book: Book, request: ApprovalRequest, actor: Actor): Approval {
  const createdAt = new Date(book.nowMs)
  const approval: Approval = {
    ...request,
    id: newUuid(createdAt),
    rule: 'require_human_approval_above',
    status: 'pending_approval',
    createdAt,
    expiresAt: new Date(book.nowMs + APPROVAL_MS),
    decidedAt: null,
    madeId: null,
  }
  insert(book, approvals, approval)
  noteWaiting(book, approval.agentId, 1)
  recordApproval(book, actor, 'approval.requested', approval)
  tellApproval(book, approval)
  return approval
}

/** Decides an approval that waits, in the commit of the batch. */
export function closeApproval(book: Book, approval: Approval, { status, madeId, actor }: Decision): Approval {
  const closed = close(book, { ...approval, status, decidedAt: new Date(book.nowMs), madeId })
  recordApproval(book, actor, `approval.${status}`, closed)
  tellApproval(book, closed)
  return closed
}

/** Writes down that an approval's time is over. */
export function expireApproval(book: Book, approval: Approval): Approval {
  const expired = close(book, standingAt(approval, book.nowMs))
  recordApproval(book, service('approval expiry'), 'approval.expired', expired)
  tellApproval(book, expired)
  return expired
}

function close(book: Book, closed: Approval): Approval {
  const before = book.fact(approvals, closed)
  assert(before?.status === 'pending_approval', 'an approval is decided once')
  // One whose time was over did not wait any more.
  if (before.expiresAt.getTime() > book.nowMs) noteWaiting(book, closed.agentId, -1)
  save(book, approvals, closed)
  return closed
}
