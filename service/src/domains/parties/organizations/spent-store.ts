import { arrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Paise } from '../../../kernel/money.ts'

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
