import type { AgentCounts, AgentStatus } from '@batua/contract'
import type { Queryable } from '../../db/database.ts'
import { assert } from '../../kernel/assert.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { type Paise, ZERO_PAISE } from '../../kernel/money.ts'

/** The number of agents in each state, of one owner or (null) of all. */
export async function countAgentsByStatus(db: Queryable, ownerId: Uuid | null): Promise<AgentCounts> {
  const rows = await db.query<{ status: AgentStatus; count: bigint }>(
    ownerId === null
      ? `select status, count(*) as count from agents group by status`
      : `select status, count(*) as count from agents where owner_id = $1 group by status`,
    ownerId === null ? [] : [ownerId],
  )
  const counts = { total: 0, active: 0, paused: 0, quarantined: 0, frozen: 0, deactivated: 0 }
  for (const { status, count } of rows) {
    counts[status] = Number(count)
    counts.total += Number(count)
  }
  return counts
}

export async function sumBalancesOfOwner(db: Queryable, ownerId: Uuid): Promise<Paise> {
  const [row] = await db.query<{ sum: Paise }>(
    `select coalesce(sum(c.balance_paise), 0)::int8 as sum from agents a join accounts c on c.id = a.id
     where a.owner_id = $1`,
    [ownerId],
  )
  return row?.sum ?? ZERO_PAISE
}

export interface HeldMoney {
  readonly floatPaise: Paise
  readonly escrowHeldPaise: Paise
  readonly authorizedPaise: Paise
  readonly payoutsPending: bigint
  readonly payoutsPendingPaise: Paise
}

/** The sum of all balances, the money held in escrow and set aside, and the pending payouts. */
export async function sumHeldMoney(db: Queryable): Promise<HeldMoney> {
  const [row] = await db.query<HeldMoney>(
    `select (select coalesce(sum(balance_paise), 0) from accounts)::int8 as "floatPaise",
       (select coalesce(sum(amount_paise), 0) from escrows where status = 'held')::int8 as "escrowHeldPaise",
       (select coalesce(sum(amount_paise + fee_reserved_paise - captured_paise), 0) from authorizations
        where status in ('open', 'closing'))::int8 as "authorizedPaise",
       count(*) as "payoutsPending", coalesce(sum(amount_paise), 0)::int8 as "payoutsPendingPaise"
     from payouts where status = 'pending'`,
    [],
  )
  assert(row !== undefined, 'an aggregate returns one row')
  return row
}

export async function countSignedUp(db: Queryable): Promise<{ platforms: number; owners: number }> {
  const [row] = await db.query<{ platforms: bigint; owners: bigint }>(
    `select (select count(*) from platforms where status = 'active') as platforms,
       (select count(*) from owners) as owners`,
    [],
  )
  return { platforms: Number(row?.platforms ?? 0), owners: Number(row?.owners ?? 0) }
}
