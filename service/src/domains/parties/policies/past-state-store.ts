import type { AgentStatus, PendingPolicy } from '@batua/contract'
import type { Queryable } from '../../../db/database.ts'
import { firstUuidAt, formatId, type Uuid } from '../../../kernel/ids.ts'
import type { Agent } from '../agents/store.ts'

/** What the log says about an agent at a past moment. */
export interface PastState {
  readonly status: AgentStatus
  readonly pending: PendingPolicy
  readonly ownerPending: PendingPolicy
}

/** Entries are found by time through their ids, which begin with it. */
export async function selectPastState(
  db: Queryable,
  { id, ownerId }: Pick<Agent, 'id' | 'ownerId'>,
  moment: Date,
): Promise<PastState> {
  const behind = firstUuidAt(new Date(moment.getTime() + 1))
  const [status, pending, ownerPending] = await Promise.all([
    selectStatus(db, id, behind),
    selectPending(
      db,
      `agent_id = $1::uuid and action in ('agent.updated', 'agent.policy_change_applied', 'agent.policy_change_cancelled')`,
      [id, behind],
    ),
    selectPending(
      db,
      `target = $1 and action in ('owner.policy_changed', 'owner.policy_change_applied', 'owner.policy_change_cancelled')`,
      [formatId('own', ownerId), behind],
    ),
  ])
  return { status, pending, ownerPending }
}

async function selectStatus(db: Queryable, id: Uuid, behind: Uuid): Promise<AgentStatus> {
  const [last] = await db.query<{ status: AgentStatus }>(
    `select case when action = 'agent.deactivated' then 'deactivated' else data::jsonb ->> 'to' end as status
     from audit_entries
     where agent_id = $1 and id < $2 and action in ('agent.paused', 'agent.resumed', 'agent.quarantined',
       'agent.frozen', 'agent.restored', 'agent.deactivated')
     order by id desc limit 1`,
    [id, behind],
  )
  return last?.status ?? 'active'
}

/** What waited for the cooldown after the last entry that changed it. */
async function selectPending(
  db: Queryable,
  condition: string,
  values: readonly [subject: string, behind: Uuid],
): Promise<PendingPolicy> {
  const [last] = await db.query<{ waiting: PendingPolicy }>(
    `select data::jsonb -> 'waiting' -> 'to' as waiting from audit_entries
     where ${condition} and id < $2 and data like '%"waiting":%' order by id desc limit 1`,
    values,
  )
  return last?.waiting ?? {}
}
