import type { Queryable } from '../../../db/database.ts'
import { type RowVersion, writeMacs } from '../../../db/row-mac.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { AGENT_ROWS } from '../../limits/index.ts'
import { type AgentState, isBlocked } from './states.ts'

/** An agent's stored state, and whether its owner is frozen. */
export interface StoredState extends AgentState {
  readonly id: Uuid
  readonly ownerFrozen: boolean
}

/**
 * The states of the existing agents. Under the locks of their accounts they cannot change until the commit. Neither can
 * the owner's status, because an owner is frozen and unfrozen only under the locks of all its agents' accounts.
 */
export async function selectStates(tx: Queryable, ids: readonly Uuid[]): Promise<StoredState[]> {
  return tx.query<StoredState>(
    `select a.id, a.status, a.was_paused as "wasPaused", a.was_quarantined as "wasQuarantined", a.held_as as "blockedAs",
       o.status = 'frozen' as "ownerFrozen"
     from agents a join owners o on o.id = a.owner_id where a.id = any($1::uuid[])
     order by a.id`,
    [ids],
  )
}

/** The active agents of an owner after an id, in the order of their ids. */
export async function selectActiveIds(
  db: Queryable,
  ownerId: Uuid,
  after: Uuid,
  limit: number,
): Promise<Uuid[]> {
  const rows = await db.query<{ id: Uuid }>(
    `select id from agents where owner_id = $1 and status <> 'deactivated' and status = 'active' and id > $2
     order by id limit $3`,
    [ownerId, after, limit],
  )
  return rows.map(({ id }) => id)
}

/**
 * Writes states, and when the agent was paused and for how long its money was blocked, which authorizations depend on. A
 * time that another node wrote may be ahead.
 */
export async function updateStates(
  tx: Queryable,
  vault: Vault,
  now: Date,
  states: readonly (AgentState & { readonly id: Uuid })[],
): Promise<RowVersion[]> {
  await tx.query(
    `update agents a set status = v.status, was_paused = v.was_paused, was_quarantined = v.was_quarantined,
       held_as = v.held_as,
       paused_at = case when v.status = 'paused' and a.status <> 'paused' then $6::timestamptz else a.paused_at end,
       blocked_at = case when v.is_blocked then coalesce(a.blocked_at, $6::timestamptz) end,
       blocked_ms = case when v.is_blocked or a.blocked_at is null then a.blocked_ms
         else coalesce(a.blocked_ms, 0) + greatest(0, (extract(epoch from $6::timestamptz - a.blocked_at) * 1000)::int8) end
     from unnest($1::uuid[], $2::text[], $3::boolean[], $4::boolean[], $5::text[], $7::boolean[])
       v(id, status, was_paused, was_quarantined, held_as, is_blocked)
     where a.id = v.id`,
    [
      states.map(({ id }) => id),
      states.map(({ status }) => status),
      states.map(({ wasPaused }) => wasPaused),
      states.map(({ wasQuarantined }) => wasQuarantined),
      states.map(({ blockedAs }) => blockedAs),
      now,
      states.map(isBlocked),
    ],
  )
  return writeMacs(
    tx,
    vault,
    AGENT_ROWS,
    states.map(({ id }) => id),
  )
}
