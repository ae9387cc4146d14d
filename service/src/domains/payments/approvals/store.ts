import { arrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import { type KeyedRead, rowsOfAll } from '../../../db/gathered.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { pagedRows } from '../../../operations/due-work.ts'
import { entity } from '../../../operations/entity.ts'
import type { Approval, ApprovalKey } from './approval.ts'

/** Approvals, written only under the lock of the agent's account. */
export const approvals = entity<Approval, 'agentId' | 'id'>({
  table: 'approvals',
  key: ['agentId', 'id'],
  columns: {
    agentId: 'agent_id uuid',
    id: 'id uuid',
    kind: 'kind text',
    payeeId: 'payee uuid',
    amountPaise: 'amount_paise int8',
    feePaise: 'fee_paise int8',
    reference: 'reference text',
    note: 'note text',
    idempotencyKey: 'idempotency_key text',
    uniqueReference: 'unique_reference boolean',
    rule: 'rule text',
    layer: 'layer text',
    terms: 'terms jsonb',
    createdAt: 'created_at timestamptz',
    expiresAt: 'expires_at timestamptz',
    status: 'status text',
    decidedAt: 'decided_at timestamptz',
    madeId: 'payment_id uuid',
    rejectionReason: 'rejection_reason text',
  },
  changes: ['status', 'decidedAt', 'madeId', 'rejectionReason'],
  uncovered: { rejection_reason: 'is only shown, and the audit entry of the decision has it' },
  recorded: {
    posted: 'null::text[]',
    prefix: 'apr',
    logged: ['approval.approved', 'approval.rejected', 'approval.expired'],
    // A decided approval is not decided again.
    agrees: ({ status }, _posted, logged) => !(status === 'pending_approval' && logged !== null),
  },
})

/** An approval with what its record shows of the agents, and their owners. */
export interface ApprovalView extends Approval {
  readonly agentName: string
  readonly toName: string | null
  readonly ownerId: Uuid
  readonly platformId: Uuid
}

const VIEW = `${approvals.selected}, g.name as "agentName", p.name as "toName", g.owner_id as "ownerId",
  g.platform_id as "platformId"`

const VIEWED = `agents g join approvals r on r.agent_id = g.id left join agents p on p.id = r.payee`

export async function selectApproval(db: Queryable, id: Uuid): Promise<ApprovalView | null> {
  const [row] = await db.query<ApprovalView>(`select ${VIEW} from ${VIEWED} where r.id = $1`, [id])
  return row ?? null
}

/** These approvals, newest first. */
export async function selectApprovalViews(db: Queryable, ids: readonly Uuid[]): Promise<ApprovalView[]> {
  return db.query<ApprovalView>(
    `select ${VIEW} from ${VIEWED} where r.id = any($1::uuid[]) order by r.id desc`,
    [arrayLiteral(ids)],
  )
}

/** The approval by which each of these payments or authorizations was made, of those that needed one. */
export async function selectApprovalsOf(
  db: Queryable,
  madeIds: readonly Uuid[],
): Promise<ReadonlyMap<Uuid, Uuid>> {
  const rows = await rowsOfAll(db, APPROVALS_OF, madeIds)
  return new Map(rows.map(({ id, madeId }) => [madeId, id]))
}

const APPROVALS_OF: KeyedRead<{ id: Uuid; madeId: Uuid }> = {
  text: `select id, payment_id as "madeId" from approvals where payment_id = any($1::uuid[])`,
  keyOf: ({ madeId }) => madeId,
}

/** The number of approvals that wait at this moment, of all agents. */
export async function countPendingApprovals(db: Queryable, now: Date): Promise<number> {
  const [row] = await db.query<{ total: number }>(
    `select count(*)::int4 as total from approvals where status = 'pending_approval' and expires_at > $1`,
    [now],
  )
  return row?.total ?? 0
}

/** Which of these approvals still wait for their owner. */
export async function selectWaiting(
  db: Queryable,
  ids: readonly Uuid[],
  now: Date,
): Promise<ReadonlySet<Uuid>> {
  const rows = await db.query<{ id: Uuid }>(
    `select id from approvals where id = any($1::uuid[]) and status = 'pending_approval' and expires_at > $2`,
    [arrayLiteral(ids), now],
  )
  return new Set(rows.map(({ id }) => id))
}

/** Approvals that have expired without the expiry being written down, the oldest first. */
export const expiredApprovals = pagedRows<ApprovalKey>(
  100,
  `select agent_id as "agentId", id, expires_at::text as "dueAt" from approvals
   where status = 'pending_approval' and expires_at <= $1 and (expires_at, id) > ($2, $3)
   order by expires_at, id limit $4`,
)
