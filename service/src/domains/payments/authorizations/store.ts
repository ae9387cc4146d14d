import type { AgentStatus } from '@batua/contract'
import { arrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import { LAST_UUID, type Uuid } from '../../../kernel/ids.ts'
import type { Paise } from '../../../kernel/money.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { newestOut, readerById } from '../../../ledger/index.ts'
import { leasedRows } from '../../../operations/due-work.ts'
import { entity, type Selected } from '../../../operations/entity.ts'
import type { Authorization } from './authorization.ts'

/** Authorizations, written only under the lock of the payer's account. */
export const authorizations = entity<Authorization, 'agentId' | 'id'>({
  table: 'authorizations',
  key: ['agentId', 'id'],
  columns: {
    agentId: 'agent_id uuid',
    id: 'id uuid',
    payeeId: 'payee uuid',
    amountPaise: 'amount_paise int8',
    feeReservedPaise: 'fee_reserved_paise int8',
    reference: 'reference text',
    voucherKey: 'voucher_key text',
    createdAt: 'created_at timestamptz',
    expiresAt: 'expires_at timestamptz',
    holdSequence: 'hold_sequence int8',
    status: 'status text',
    capturedPaise: 'captured_paise int8',
    lastTransferId: 'last_transfer uuid',
    capturesDay: 'captures_day int4',
    dayCaptures: 'day_captures int4',
    closingSince: 'closing_since timestamptz',
    closingBlockedMs: 'closing_blocked_ms int8',
    feePaise: 'fee_paise int8',
    closedAt: 'closed_at timestamptz',
    nextTryAt: 'next_try_at timestamptz',
    appId: 'app_id uuid',
  },
  later: ['appId'],
  changes: [
    'status',
    'capturedPaise',
    'lastTransferId',
    'capturesDay',
    'dayCaptures',
    'closingSince',
    'closingBlockedMs',
    'feePaise',
    'closedAt',
    'nextTryAt',
  ],
  uncovered: {
    next_try_at: 'says when the job checks it; the MAC covers what the job does and from when',
  },
  recorded: {
    // The kind and the id of the newest transfer out of it.
    posted: `(select array[t.kind, t.id::text] from transfers t where ${newestOut('t', 'r')})`,
    prefix: 'ath',
    logged: ['authorization.closing', 'authorization.closed', 'authorization.voided'],
    // An older row would allow to capture again what was captured or has gone back, or longer than its closing does.
    agrees: ({ status, lastTransferId }, posted, logged) => {
      const [kind, id = null] = posted ?? []
      const isOpen = status === 'open'
      const ended = kind !== undefined && kind !== 'capture'
      return (
        id === lastTransferId && ended === !(isOpen || status === 'closing') && !(isOpen && logged !== null)
      )
    },
  },
})

/**
 * Authorizations whose state changes by itself. A claim lasts as long as they are overdue, but at least 3 s, so that
 * the rest goes back within 5 s even if the node that claimed it crashes.
 */
export const dueAuthorizations = authorizations.leasedRows({
  due: 'next_try_at',
  lease: `least(greatest($1::timestamptz - coalesce(r.closing_since, r.expires_at), interval '3 seconds'),
    interval '1 minute')`,
  atOnce: 500,
})

/** An authorization whose MAC is valid. The ledger's record of it is checked under the lock. */
export async function selectAuthorization(
  db: Queryable,
  vault: Vault,
  id: Uuid,
): Promise<Authorization | null> {
  const [row] = await db.query<Selected<Authorization>>(
    `select ${authorizations.selected} from ${authorizations.from} where r.id = $1`,
    [id],
  )
  return row === undefined ? null : authorizations.proven(vault, row)
}

/** The newest capture of an authorization; null: nothing was captured. */
export async function selectNewestCapture(db: Queryable, id: Uuid): Promise<Uuid | null> {
  const [row] = await db.query<{ id: Uuid }>(
    `select t.id from transfers t where t.linked_id = $1 and t.kind = 'capture'
     order by t.credit_sequence desc limit 1`,
    [id],
  )
  return row?.id ?? null
}

/** The number of open authorizations of an agent. Opening and closing lock its account, so it is exact. */
export const openAuthorizations = readerById<number>('open authorizations', async (tx, agentIds) => {
  const rows = await tx.query<{ agentId: Uuid; count: number }>(
    `select k.agent_id as "agentId", (
       select count(*)::int4 from authorizations a where a.agent_id = k.agent_id and a.status = 'open') as count
     from unnest($1::uuid[]) k(agent_id)`,
    [arrayLiteral(agentIds)],
  )
  return rows.map(({ agentId, count }) => [agentId, count])
})

/** The agents on both sides, with what the state of an authorization depends on. */
export interface Party {
  readonly id: Uuid
  readonly platformId: Uuid
  readonly ownerId: Uuid
  readonly status: AgentStatus
  readonly paused_at: Date | null
  readonly deactivated_at: Date | null
  readonly blocked_at: Date | null
  readonly blocked_ms: bigint | null
}

export async function selectParties(db: Queryable, ids: readonly Uuid[]): Promise<Map<Uuid, Party>> {
  const rows = await db.query<Party>(
    `select id, platform_id as "platformId", owner_id as "ownerId", status, paused_at, deactivated_at, blocked_at,
       blocked_ms
     from agents where id = any($1::uuid[])`,
    [arrayLiteral([...new Set(ids)])],
  )
  return new Map(rows.map(row => [row.id, row]))
}

/** An agent whose state or policy has changed, and how often since it was last processed. */
export interface ChangedAgent {
  readonly id: Uuid
  readonly changes: bigint
}

export const changedAgents = leasedRows<ChangedAgent, ChangedAgent>({
  table: 'changed_agents',
  key: ['id'],
  due: 'due_at',
  lease: `interval '3 seconds'`,
  atOnce: 500,
  selected: 'r.id, r.changes',
  proven: (_vault, found) => found,
})

/** Ends the processing of a change, unless there was another one meanwhile. */
export async function forgetChange(db: Queryable, { id, changes }: ChangedAgent): Promise<void> {
  await db.query(`delete from changed_agents where id = $1 and changes = $2`, [id, changes])
}

/**
 * The authorizations that a change of an agent may concern, by their ids: those that it made, and, if it was
 * deactivated, those for it. Their MACs are proved under the lock.
 */
export function selectConcerned(
  db: Queryable,
  agentId: Uuid,
  after: Uuid,
  limit: number,
): Promise<Authorization[]> {
  return db.query<Authorization>(
    `select ${authorizations.selected} from ${authorizations.from}
     where r.status in ('open', 'closing') and r.agent_id = $1 and r.id > $2 and r.id <= '${LAST_UUID}'
     union all
     select ${authorizations.selected} from ${authorizations.from}
     where r.status in ('open', 'closing') and r.payee = $1 and r.id > $2
       and (select a.status from agents a where a.id = $1) = 'deactivated'
     order by id limit $3`,
    [agentId, after, limit],
  )
}

/** The number of a platform's agents with money set aside. While their accounts are locked it does not change. */
export async function countAuthorizedOfPlatform(tx: Queryable, platformId: Uuid): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `select count(*)::int4 as count from agents a where a.platform_id = $1
       and exists (select 1 from authorizations r where r.agent_id = a.id and r.status in ('open', 'closing'))`,
    [platformId],
  )
  return row?.count ?? 0
}

/** What is left in all authorizations, in paise: the balance that the ledger's account of them must have. */
export async function sumAuthorized(db: Queryable): Promise<Paise> {
  const [row] = await db.query<{ sum: bigint }>(
    `select coalesce(sum(amount_paise + fee_reserved_paise - captured_paise), 0)::int8 as sum
     from authorizations where status in ('open', 'closing')`,
    [],
  )
  return (row?.sum ?? 0n) as Paise
}
