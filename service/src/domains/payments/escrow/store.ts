import type { EscrowStatus } from '@batua/contract'
import type { Queryable } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Paise } from '../../../kernel/money.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { entity, type Selected } from '../../../operations/entity.ts'
import type { Escrow } from './escrow.ts'

/** Escrows, written only under the lock of the payer's account. */
export const escrows = entity<Escrow, 'agentId' | 'id'>({
  table: 'escrows',
  key: ['agentId', 'id'],
  columns: {
    agentId: 'agent_id uuid',
    id: 'id uuid',
    toAgentId: 'to_agent uuid',
    attestorId: 'attestor uuid',
    amountPaise: 'amount_paise int8',
    reference: 'reference text',
    autoAction: 'auto_action text',
    expiresAt: 'expires_at timestamptz',
    createdAt: 'created_at timestamptz',
    holdSequence: 'hold_sequence int8',
    status: 'status text',
    releasedTo: 'released_to uuid',
    resolvedAt: 'resolved_at timestamptz',
    nextTryAt: 'next_try_at timestamptz',
    appId: 'app_id uuid',
  },
  later: ['appId'],
  changes: ['status', 'releasedTo', 'resolvedAt', 'nextTryAt'],
  uncovered: { next_try_at: 'says when the timeout is tried; what it does, and from when, the MAC covers' },
  recorded: {
    posted: `(select array_agg(t.kind::text) from transfers t where t.linked_id = r.id
      and t.kind in ('escrow_release', 'escrow_refund'))`,
    prefix: 'esc',
    logged: ['escrow.released', 'escrow.refunded'],
    agrees: ({ status }, posted, logged) =>
      status === statusAfter(posted) && (logged === null || logged.includes(`escrow.${status}`)),
  },
})

function statusAfter(kinds: readonly string[] | null): EscrowStatus {
  if (kinds === null) return 'held'
  return kinds.includes('escrow_refund') ? 'refunded' : 'released'
}

/** An escrow whose MAC is valid: it determines who may end it. The ledger's record of it is checked under the lock. */
export async function selectEscrow(db: Queryable, vault: Vault, id: Uuid): Promise<Escrow | null> {
  const [row] = await db.query<Selected<Escrow>>(
    `select ${escrows.selected} from ${escrows.from} where r.id = $1`,
    [id],
  )
  return row === undefined ? null : escrows.proven(vault, row)
}

/**
 * Escrows whose timeout is due. A claim lasts as long as they are overdue, so that what cannot be done yet is tried less
 * and less often: at least 3 s, so that a timeout fires within 5 s even if the node that claimed it crashes.
 */
export const dueTimeouts = escrows.leasedRows({
  due: 'next_try_at',
  lease: `least(greatest(case when isfinite(r.expires_at) then $1::timestamptz - r.expires_at end,
    interval '3 seconds'), interval '1 minute')`,
  atOnce: 500,
})

/** The owner and platform of an agent, which never change. */
export interface Party {
  readonly id: Uuid
  readonly platformId: Uuid
  readonly ownerId: Uuid
}

export async function selectParties(db: Queryable, ids: readonly Uuid[]): Promise<Map<Uuid, Party>> {
  const rows = await db.query<Party>(
    `select id, platform_id as "platformId", owner_id as "ownerId" from agents where id = any($1::uuid[])`,
    [ids],
  )
  return new Map(rows.map(row => [row.id, row]))
}

/** The number of a platform's agents with money in escrow. While their accounts are locked it does not change. */
export async function countHeldOfPlatform(tx: Queryable, platformId: Uuid): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `select count(*)::int4 as count from agents a where a.platform_id = $1
       and exists (select 1 from escrows e where e.agent_id = a.id and e.status = 'held')`,
    [platformId],
  )
  return row?.count ?? 0
}

/** The sum of all open escrows, in paise: the balance that the ledger's escrow account must have. */
export async function sumHeld(db: Queryable): Promise<Paise> {
  const [row] = await db.query<{ sum: bigint }>(
    `select coalesce(sum(amount_paise), 0)::int8 as sum from escrows where status = 'held'`,
    [],
  )
  return (row?.sum ?? 0n) as Paise
}
