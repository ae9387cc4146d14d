import type { Queryable } from '../../db/database.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { Leg } from './decide-circular-flow.ts'

/** How many transfers of one agent are read on either side: a ring through a busier agent may stay unseen. */
const MAX_LEGS = 100

export interface LegSpan {
  readonly agentId: Uuid
  readonly fromId: Uuid
  readonly untilId: Uuid
}

const LEGS_FROM = `
  select l.id, a.agent as payer, l.payee, l.amount as "amountPaise"
  from unnest($1::uuid[], $2::uuid[], $3::uuid[]) a(agent, from_id, until_id)
  cross join lateral (
    select id, credit_account as payee, amount_paise as amount, kind from transfers
    where (debit_account, id) >= (a.agent, a.from_id) and (debit_account, id) <= (a.agent, a.until_id)
    order by debit_account desc, id desc limit $5
  ) l
  where l.kind = 'payment' and l.amount >= $4
  order by l.id`

const LEGS_TO = `
  select l.id, l.payer, a.agent as payee, l.amount as "amountPaise"
  from unnest($1::uuid[], $2::uuid[], $3::uuid[]) a(agent, from_id, until_id)
  cross join lateral (
    select id, debit_account as payer, amount_paise as amount, kind from transfers
    where (credit_account, id) >= (a.agent, a.from_id) and (credit_account, id) <= (a.agent, a.until_id)
    order by credit_account desc, id desc limit $5
  ) l
  where l.kind = 'payment' and l.amount >= $4
  order by l.id`

/** The payments of at least this amount that agents made in their spans, from the oldest on. */
export function selectLegsFrom(
  db: Queryable,
  spans: readonly LegSpan[],
  minAmountPaise: number,
): Promise<Leg[]> {
  return db.query<Leg>(LEGS_FROM, [...columnsOf(spans), minAmountPaise, MAX_LEGS])
}

/** The payments of at least this amount that agents got in their spans, from the oldest on. */
export function selectLegsTo(
  db: Queryable,
  spans: readonly LegSpan[],
  minAmountPaise: number,
): Promise<Leg[]> {
  return db.query<Leg>(LEGS_TO, [...columnsOf(spans), minAmountPaise, MAX_LEGS])
}

function columnsOf(spans: readonly LegSpan[]): Uuid[][] {
  return [spans.map(span => span.agentId), spans.map(span => span.fromId), spans.map(span => span.untilId)]
}
