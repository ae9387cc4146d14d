import type { Queryable } from '../../../db/database.ts'
import { PAID, PAYEE, payerOf, RECEIVED, type Span, spanColumns } from '../scope.ts'
import type { Leg } from './decide-circular-flow.ts'

const LEGS_FROM = `
  select l.id, a.agent as payer, l.payee, l.amount as "amountPaise"
  from unnest($1::uuid[], $2::uuid[], $3::uuid[]) a(agent, from_id, until_id)
  cross join lateral (
    select id, ${PAYEE} as payee, amount_paise as amount, kind from transfers
    where (debit_account, id) >= (a.agent, a.from_id) and (debit_account, id) <= (a.agent, a.until_id)
    order by debit_account desc, id desc limit $5
  ) l
  where l.${PAID} and l.amount >= $4
  order by l.id`

const LEGS_TO = `
  select l.id, ${payerOf('l')} as payer, a.agent as payee, l.amount as "amountPaise"
  from unnest($1::uuid[], $2::uuid[], $3::uuid[]) a(agent, from_id, until_id)
  cross join lateral (
    select id, debit_account, linked_id, amount_paise as amount, kind from transfers
    where (credit_account, id) >= (a.agent, a.from_id) and (credit_account, id) <= (a.agent, a.until_id)
    order by credit_account desc, id desc limit $5
  ) l
  where l.${RECEIVED} and l.amount >= $4
  order by l.id`

/** Of the newest `legsEach` transfers of each agent in its span: its payments of at least this amount, oldest first. */
export function selectLegsFrom(
  db: Queryable,
  spans: readonly Span[],
  minAmountPaise: number,
  legsEach: number,
): Promise<Leg[]> {
  return db.query<Leg>(LEGS_FROM, [...spanColumns(spans), minAmountPaise, legsEach])
}

/** Of the newest `legsEach` transfers to each agent in its span: the payments of at least this amount, oldest first. */
export function selectLegsTo(
  db: Queryable,
  spans: readonly Span[],
  minAmountPaise: number,
  legsEach: number,
): Promise<Leg[]> {
  return db.query<Leg>(LEGS_TO, [...spanColumns(spans), minAmountPaise, legsEach])
}
