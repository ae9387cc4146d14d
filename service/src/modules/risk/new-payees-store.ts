import type { Queryable } from '../../db/database.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { NewPayeesFacts } from './decide.ts'
import { MAX_COUNT, type ThresholdsOf } from './rules.ts'
import type { Scope } from './scope.ts'

/** A payment by its parties. */
export interface PaidPair {
  readonly payer: Uuid
  readonly payee: Uuid
  readonly id: Uuid
}

/** Remembers who paid whom for the first time; answers the payers of pairs that were not known. Oldest first. */
export async function recordFirstPayments(db: Queryable, payments: readonly PaidPair[]): Promise<Uuid[]> {
  const first = new Map<string, PaidPair>()
  for (const payment of payments) {
    const pair = `${payment.payer} ${payment.payee}`
    if (!first.has(pair)) first.set(pair, payment)
  }
  const pairs = [...first.values()]
  const rows = await db.query<{ payer: Uuid }>(
    `insert into risk_first_payments (payer, payee, first_id)
     select payer, payee, id from unnest($1::uuid[], $2::uuid[], $3::uuid[]) v(payer, payee, id)
     on conflict (payer, payee) do nothing returning payer`,
    [pairs.map(pair => pair.payer), pairs.map(pair => pair.payee), pairs.map(pair => pair.id)],
  )
  return [...new Set(rows.map(row => row.payer))]
}

const COUNT_NEW = `
  select a.agent as "agentId", n.payees, n.payments as "paymentIds", n.names as "payeeIds"
  from unnest($1::uuid[], $2::uuid[], $3::uuid[]) a(agent, from_id, until_id)
  cross join lateral (
    select count(*)::int4 as payees, (array_agg(first_id order by first_id desc))[1:10] as payments,
      (array_agg(payee order by first_id desc))[1:10] as names
    from (
      select payee, first_id from risk_first_payments
      where (payer, first_id) >= (a.agent, a.from_id) and (payer, first_id) <= (a.agent, a.until_id)
      order by payer desc, first_id desc limit $4
    ) newest
  ) n
  where n.payees >= $5`

type Row = Omit<NewPayeesFacts, 'fromMs' | 'toMs'> & { readonly agentId: Uuid }

/** The agents that paid enough others for the first time within their scopes. */
export async function countNewPayees(
  db: Queryable,
  scopes: readonly Scope[],
  { minPayees }: ThresholdsOf<'new_payees'>,
): Promise<Map<Uuid, NewPayeesFacts>> {
  const rows = await db.query<Row>(COUNT_NEW, [
    scopes.map(scope => scope.agentId),
    scopes.map(scope => scope.fromId),
    scopes.map(scope => scope.untilId),
    MAX_COUNT,
    minPayees,
  ])
  const scopeOf = new Map(scopes.map(scope => [scope.agentId, scope]))
  return new Map(
    rows.flatMap(row => {
      const scope = scopeOf.get(row.agentId)
      return scope === undefined ? [] : [[row.agentId, { ...row, fromMs: scope.fromMs, toMs: scope.toMs }]]
    }),
  )
}
