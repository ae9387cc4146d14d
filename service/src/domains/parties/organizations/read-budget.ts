import type { Budget } from '@batua/contract'
import { arrayLiteral } from '../../../db/array-literal.ts'
import type { Database, Queryable } from '../../../db/database.ts'
import { istMonth, startOfIstDay } from '../../../kernel/clock.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { type Paise, rupees, ZERO_PAISE } from '../../../kernel/money.ts'
import { selectMembers } from './member-store.ts'
import { memberFields } from './organization-record.ts'

/** The budget of each member in this IST calendar month and the amount spent, as the limits count it. */
export async function readBudget(database: Database, orgId: Uuid, now: Date): Promise<Budget> {
  const members = await selectMembers(database, orgId)
  const spent = await selectMonthsSpent(
    database,
    members.map(({ agentId }) => agentId),
  )
  return {
    org_id: formatId('org', orgId),
    members: members.map(member => {
      const spentPaise = spentInMonth(spent.get(member.agentId), now)
      const { budgetPaise } = member
      return {
        ...memberFields(member),
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
function spentInMonth(stored: MonthSpent | undefined, now: Date): Paise {
  if (stored === undefined) return ZERO_PAISE
  return istMonth(startOfIstDay(stored.istDay)) < istMonth(now) ? ZERO_PAISE : stored.spentPaise
}

/** A budget may be lowered below the amount spent: then nothing is left, and there is no debt. */
function remaining(budgetPaise: Paise, spentPaise: Paise): bigint {
  return budgetPaise > spentPaise ? budgetPaise - spentPaise : 0n
}

/** The amount that an account spent in the calendar month of a day. */
export interface MonthSpent {
  readonly istDay: number
  readonly spentPaise: Paise
}

/** The amounts by agent, read without locks. */
export async function selectMonthsSpent(
  db: Queryable,
  agentIds: readonly Uuid[],
): Promise<Map<Uuid, MonthSpent>> {
  const rows = await db.query<MonthSpent & { id: Uuid }>(
    `select id, ist_day as "istDay", ist_month_spent_paise as "spentPaise" from accounts where id = any($1::uuid[])`,
    [arrayLiteral(agentIds)],
  )
  return new Map(rows.map(({ id, ...spent }) => [id, spent]))
}
