import { DEFAULT_SPENDING_DAYS, getSpending, SPENDING_PAYEES, type Spending } from '@batua/contract'
import type { Database } from '../../../db/database.ts'
import type { Serve } from '../../../http/serve.ts'
import { DAY_MS, istDay } from '../../../kernel/clock.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { rupees } from '../../../kernel/money.ts'
import { requireAccess } from '../../parties/index.ts'
import { selectNames } from '../statements/statement-store.ts'
import { minus, NOTHING, openSpent, plus, type Spent, type SpentByDay } from './spending.ts'

interface SpendingContext {
  readonly database: Database
}

export function serveSpending(serve: Serve, { database }: SpendingContext): void {
  const readSpent = openSpent(database)

  serve(getSpending, async ({ caller, params, query, now }) => {
    const agent = await requireAccess(database, caller, params.agent_id)
    const toDay = istDay(now)
    const fromDay = toDay - (query.days ?? DEFAULT_SPENDING_DAYS) + 1
    const spent = await readSpent(agent.id, fromDay, now)
    const payees = largestPayees(spent)
    const names = await selectNames(
      database,
      payees.map(({ id }) => id),
    )
    return spendingRecord({ agentId: agent.id, fromDay, toDay }, spent, { payees, names })
  })
}

interface Period {
  readonly agentId: Uuid
  readonly fromDay: number
  readonly toDay: number
}

interface Payee extends Spent {
  readonly id: Uuid
}

interface Payees {
  readonly payees: readonly Payee[]
  readonly names: ReadonlyMap<Uuid, string>
}

/** The payees that received most; of equal sums, the earlier agent first. */
function largestPayees(days: SpentByDay): Payee[] {
  const sums = new Map<Uuid, Spent>()
  for (const payees of days.values()) {
    for (const [id, spent] of payees) if (id !== null) sums.set(id, plus(sums.get(id) ?? NOTHING, spent))
  }
  const isLess = (left: Payee, right: Payee) =>
    left.paise === right.paise ? left.id > right.id : left.paise < right.paise
  return [...sums]
    .map(([id, spent]) => ({ id, ...spent }))
    .toSorted((left, right) => (isLess(left, right) ? 1 : -1))
    .slice(0, SPENDING_PAYEES)
}

function spendingRecord(
  { agentId, fromDay, toDay }: Period,
  spent: SpentByDay,
  { payees, names }: Payees,
): Spending {
  const days = Array.from({ length: toDay - fromDay + 1 }, (_, index) => fromDay + index)
  const total = sumOf(days.map(day => sumOf([...(spent.get(day)?.values() ?? [])])))
  const others = minus(total, sumOf(payees))
  return {
    agent_id: formatId('agt', agentId),
    from_date: dateOf(fromDay),
    to_date: dateOf(toDay),
    total: rupees(total.paise),
    payments: total.count,
    payees: payees.map(({ id, count, paise }) => ({
      agent_id: formatId('agt', id),
      agent_name: names.get(id) ?? '',
      amount: rupees(paise),
      payments: count,
    })),
    others: { amount: rupees(others.paise), payments: others.count },
    days: days.map(day => {
      const ofDay = spent.get(day)
      const sums = payees.map(({ id }) => ofDay?.get(id) ?? NOTHING)
      const totalOfDay = sumOf([...(ofDay?.values() ?? [])])
      return {
        date: dateOf(day),
        total: rupees(totalOfDay.paise),
        payees: sums.map(({ paise }) => rupees(paise)),
        others: rupees(minus(totalOfDay, sumOf(sums)).paise),
      }
    }),
  }
}

function sumOf(sums: readonly Spent[]): Spent {
  return sums.reduce(plus, NOTHING)
}

/** The date of a number of days since 1970. */
function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10)
}
