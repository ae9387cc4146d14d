import { arrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import { type Refusal, refuse } from '../../../kernel/app-error.ts'
import { assert } from '../../../kernel/assert.ts'
import { firstUuidAt, newUuid, type Uuid } from '../../../kernel/ids.ts'
import { type Command, type LedgerBatch, type Read, read, readerById } from '../../../ledger/index.ts'
import { insert, save } from '../../../operations/entity.ts'
import { type Actor, record, service } from '../../../operations/facts.ts'
import type { Approval, ApprovalKey, ApprovalRequest, Decision } from './approval.ts'
import { APPROVAL_MS, decideOpen, statusAt } from './decide.ts'
import { approvalFact } from './facts.ts'
import { approvals } from './store.ts'

/** The approval if it still waits, else the reason why it cannot be decided. */
export function openApproval(batch: LedgerBatch, seen: ApprovalKey | Approval): Refusal | Approval {
  const approval = batch.read(approvals, seen)
  // The request was prepared from a row whose MAC was not verified.
  const isSame = approval === undefined || !('amountPaise' in seen) || approvals.agree(approval, seen)
  assert(isSame, 'an approval matches its request')
  return decideOpen(approval, batch.nowMs)
}

/**
 * Requests the owner's approval, in the batch's commit, after `decidePlace` allowed it. The agent's account is locked,
 * so its idempotency key is exact.
 */
export function requestApproval(batch: LedgerBatch, request: ApprovalRequest, actor: Actor): Approval {
  const createdAt = new Date(batch.nowMs)
  const approval: Approval = {
    ...request,
    id: newUuid(createdAt),
    status: 'pending_approval',
    createdAt,
    expiresAt: new Date(batch.nowMs + APPROVAL_MS),
    decidedAt: null,
    madeId: null,
    rejectionReason: null,
  }
  insert(batch, approvals, approval)
  noteWaiting(batch, approval.agentId, 1)
  record(batch, approvalFact(actor, approval))
  return approval
}

/** Decides an approval that waits, in the commit of the batch. */
export function closeApproval(
  batch: LedgerBatch,
  approval: Approval,
  { status, madeId, actor, evidence, rejectionReason = null }: Decision,
): Approval {
  const decidedAt = new Date(batch.nowMs)
  const closed = close(batch, { ...approval, status, decidedAt, madeId, rejectionReason })
  record(batch, approvalFact(actor, closed, evidence))
  return closed
}

export function rejectCommand(key: ApprovalKey, actor: Actor, reason: string | null): Command<Approval> {
  return {
    accounts: [key.agentId],
    reads: [read(approvals, key)],
    decide(batch) {
      const waiting = openApproval(batch, key)
      if (waiting.kind === 'refusal') return waiting
      return closeApproval(batch, waiting, {
        status: 'rejected',
        madeId: null,
        actor,
        evidence: null,
        rejectionReason: reason,
      })
    },
  }
}

/** Records that an approval has expired. */
export function expireApproval(batch: LedgerBatch, approval: Approval): Approval {
  const expired = close(batch, statusAt(approval, batch.nowMs))
  record(batch, approvalFact(service('approval expiry'), expired))
  return expired
}

function close(batch: LedgerBatch, closed: Approval): Approval {
  const before = batch.read(approvals, closed)
  assert(before?.status === 'pending_approval', 'an approval is decided once')
  // One that had expired no longer waited.
  if (before.expiresAt.getTime() > batch.nowMs) noteWaiting(batch, closed.agentId, -1)
  save(batch, approvals, closed)
  return closed
}

/** The number of approvals of one agent that may wait: no agent can fill its owner's list. */
export const MAX_WAITING_APPROVALS = 50

/** The number of approvals of an agent that wait. Adding and deciding both lock the agent's account, so it is exact. */
const waitingApprovals = readerById<number>(
  'waiting approvals',
  // An earlier request has expired, so a range of the agent's ids contains all that wait.
  async (tx: Queryable, agentIds, nowMs) => {
    const rows = await tx.query<{ agentId: Uuid; count: number }>(
      `select k.agent_id as "agentId", (
         select (count(*) filter (where a.status = 'pending_approval' and a.expires_at > $2))::int4
         from approvals a where a.agent_id = k.agent_id and a.id >= $3) as count
       from unnest($1::uuid[]) k(agent_id)`,
      [arrayLiteral(agentIds), new Date(nowMs), firstUuidAt(new Date(nowMs - APPROVAL_MS))],
    )
    return rows.map(({ agentId, count }) => [agentId, count])
  },
)

/** The read before the owner's approval may be requested. */
export function waitingRead(agentId: Uuid): Read {
  return read(waitingApprovals, agentId)
}

/** Whether one more approval of this agent may wait. */
export function decidePlace(batch: LedgerBatch, agentId: Uuid): Refusal | null {
  const waiting = batch.read(waitingApprovals, agentId) ?? 0
  if (waiting < MAX_WAITING_APPROVALS) return null
  return refuse(
    'conflict',
    `${waiting} approvals of this agent wait for its owner, and no more than ${MAX_WAITING_APPROVALS} may. ` +
      'Ask again when one of them was approved or rejected, or has expired',
    { details: { pending_approvals: waiting, max_pending_approvals: MAX_WAITING_APPROVALS } },
  )
}

/** Counts one more or one less waiting approval, for the later commands of this batch. */
export function noteWaiting(batch: LedgerBatch, agentId: Uuid, change: 1 | -1): void {
  const waiting = batch.read(waitingApprovals, agentId)
  if (waiting !== undefined) batch.set(waitingApprovals, agentId, waiting + change)
}
