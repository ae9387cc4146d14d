import { arrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import { type Refusal, refuse } from '../../../kernel/app-error.ts'
import { firstUuidAt, type Uuid } from '../../../kernel/ids.ts'
import { type LedgerBatch, type Read, read, readerById } from '../../../ledger/index.ts'
import { APPROVAL_MS } from './decide.ts'

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

/** Tells the later commands of this batch that one more approval waits, or one less. */
export function noteWaiting(batch: LedgerBatch, agentId: Uuid, change: 1 | -1): void {
  const waiting = batch.read(waitingApprovals, agentId)
  if (waiting !== undefined) batch.set(waitingApprovals, agentId, waiting + change)
}
