import type { Budget } from '@batua/contract'
import { arrayLiteral } from '../../../db/array-literal.ts'
import type { Database, Queryable } from '../../../db/database.ts'
import { assert } from '../../../kernel/assert.ts'
import { istMonth, startOfIstDay } from '../../../kernel/clock.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { type Paise, rupees, ZERO_PAISE } from '../../../kernel/money.ts'
import { selectMembers } from './member-store.ts'
import { memberFields } from './organization-record.ts'

/** The budget of each member in this IST calendar month and the amount spent, as the limits count it. */
export async function readBudget(database: Database, orgId: Uuid, now: Date): Promise<Budget> {
  const members = await selectMembers(database, orgId)
  const wallets = await selectWalletMonths(
    database,
    members.map(({ agentId }) => agentId),
  )
  return {
    org_id: formatId('org', orgId),
    members: members.map(member => {
      const wallet = wallets.get(member.agentId)
      assert(wallet !== undefined, 'every agent has a wallet')
      const spentPaise = spentInMonth(wallet, now)
      const { budgetPaise } = member
      return {
        ...memberFields(member),
        available: rupees(wallet.balancePaise),
        spent_this_month: rupees(spentPaise),
        remaining: budgetPaise === null ? null : rupees(remaining(budgetPaise, spentPaise)),
      }
    }),
  }
}

/**
 * The sum on the account belongs to the month of its day, because it was not written since. A day later than this
 * node's clock was written by another node, which is in the new month already.
 */
function spentInMonth(stored: WalletMonth, now: Date): Paise {
  return istMonth(startOfIstDay(stored.istDay)) < istMonth(now) ? ZERO_PAISE : stored.spentPaise
}

/** A budget may be lowered below the amount spent: then nothing is left, and there is no debt. */
function remaining(budgetPaise: Paise, spentPaise: Paise): bigint {
  return budgetPaise > spentPaise ? budgetPaise - spentPaise : 0n
}

/** What a wallet has, and what it spent in the calendar month of a day. */
interface WalletMonth {
  readonly istDay: number
  readonly spentPaise: Paise
  readonly balancePaise: Paise
}

/** The wallets by agent, read without locks. */
async function selectWalletMonths(db: Queryable, agentIds: readonly Uuid[]): Promise<Map<Uuid, WalletMonth>> {
  const rows = await db.query<WalletMonth & { id: Uuid }>(
    `select id, ist_day as "istDay", ist_month_spent_paise as "spentPaise",
       balance_paise as "balancePaise" from accounts where id = any($1::uuid[])`,
    [arrayLiteral(agentIds)],
  )
  return new Map(rows.map(({ id, ...wallet }) => [id, wallet]))
}
