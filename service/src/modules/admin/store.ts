import type { AgentCounts, AgentStatus } from '@batua/contract'
import type { Queryable } from '../../db/database.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { type Paise, ZERO_PAISE } from '../../kernel/money.ts'
import { SYSTEM } from '../../ledger/index.ts'

/** How many agents there are in each state: of one owner, or of all. */
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

/** What all wallets hold, and what waits in escrow: that account has no row, its balance is a sum of its transfers. */
export async function sumHeldMoney(db: Queryable): Promise<{ floatPaise: Paise; escrowHeldPaise: Paise }> {
  const [row] = await db.query<{ floatPaise: Paise; escrowHeldPaise: Paise }>(
    `select (select coalesce(sum(balance_paise), 0) from accounts)::int8 as "floatPaise",
       ((select coalesce(sum(amount_paise), 0) from transfers where credit_account = $1)
         - (select coalesce(sum(amount_paise + fee_paise), 0) from transfers where debit_account = $1))::int8
         as "escrowHeldPaise"`,
    [SYSTEM.escrow],
  )
  return row ?? { floatPaise: ZERO_PAISE, escrowHeldPaise: ZERO_PAISE }
}

export async function countSignedUp(db: Queryable): Promise<{ platforms: number; owners: number }> {
  const [row] = await db.query<{ platforms: bigint; owners: bigint }>(
    `select (select count(*) from platforms where status = 'active') as platforms,
       (select count(*) from owners) as owners`,
    [],
  )
  return { platforms: Number(row?.platforms ?? 0), owners: Number(row?.owners ?? 0) }
}
