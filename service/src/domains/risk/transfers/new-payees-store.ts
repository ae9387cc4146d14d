import type { Queryable } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { NewPayeesFacts } from '../decide.ts'
import { MAX_COUNT, type ThresholdsOf } from '../rules.ts'
import { factsByAgent, PAID, PAYEE, type Scope, spanColumns } from '../scope.ts'

/**
 * A conflict changes nothing, and a payer's payments are inserted in the order of their ids, so a pair keeps its first
 * payment. Rows are inserted by payer, because neighbouring index entries cost less.
 */
const RECORD_FIRST = `
  with page as materialized (
    select id, debit_account as payer, ${PAYEE} as payee, kind
    from transfers where id > $1 and id < $2 order by id limit $3
  ), first as (
    insert into risk_first_payments (payer, payee, first_id)
    select payer, payee, id from page where ${PAID} order by payer, id
    on conflict (payer, payee) do nothing
  )
  select (select count(*)::int4 from page) as transfers,
    (select id from page order by id desc limit 1) as "lastId"`

/**
 * Stores the first payment of each payer to each payee, from one page of transfers of all kinds. It runs within the
 * database, because under heavy load it processes every payment.
 */
export async function recordFirstPayments(
  tx: Queryable,
  { afterId, below, atMost }: { afterId: Uuid; below: Uuid; atMost: number },
): Promise<{ readonly transfers: number; readonly lastId: Uuid | null }> {
  const [page] = await tx.query<{ transfers: number; lastId: Uuid | null }>(RECORD_FIRST, [
    afterId,
    below,
    atMost,
  ])
  return page ?? { transfers: 0, lastId: null }
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

/** The agents that paid enough new payees within their scopes. */
export async function countNewPayees(
  db: Queryable,
  scopes: readonly Scope[],
  { minPayees }: ThresholdsOf<'new_payees'>,
): Promise<Map<Uuid, NewPayeesFacts>> {
  if (scopes.length === 0) return new Map()
  const rows = await db.query<Row>(COUNT_NEW, [...spanColumns(scopes), MAX_COUNT, minPayees])
  return factsByAgent(rows, scopes, (row, { fromMs, toMs }) => ({ ...row, fromMs, toMs }))
}
