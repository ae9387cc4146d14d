import { arrayLiteral, textArrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import { parseId, type Uuid } from '../../../kernel/ids.ts'
import type { RefundFacts } from './compare-refund.ts'
import type { PageBounds } from './page-bounds.ts'

type RefundRow = Omit<RefundFacts, 'agentId'>

const SELECT = `
  select id, gateway, order_id as "orderId", gateway_order_id as "gatewayOrderId",
    gateway_payment_id as "gatewayPaymentId", amount_paise as "amountPaise", status, created_at as "createdAt",
    next_attempt_at as "nextAttemptAt" from gateway_refunds`

const IN_SPAN = `${SELECT} where id > $1 and id < $2 order by id limit $3`
const STILL_DUE = `${SELECT} where next_attempt_at is not null and id > $1 and id < $2 order by id limit $3`

export async function readRefundPage(db: Queryable, bounds: PageBounds): Promise<RefundFacts[]> {
  const text = bounds.scope === 'span' ? IN_SPAN : STILL_DUE
  const rows = await db.query<RefundRow>(text, [bounds.after, bounds.before, bounds.limit])
  return withAgents(db, rows)
}

export async function readRefunds(db: Queryable, ids: readonly Uuid[]): Promise<RefundFacts[]> {
  if (ids.length === 0) return []
  const rows = await db.query<RefundRow>(`${SELECT} where id = any($1::uuid[])`, [arrayLiteral(ids)])
  return withAgents(db, rows)
}

export async function readRefundsOfPayments(
  db: Queryable,
  gateway: string,
  paymentIds: readonly string[],
): Promise<RefundFacts[]> {
  if (paymentIds.length === 0) return []
  const rows = await db.query<RefundRow>(
    `${SELECT} where gateway = $1 and gateway_payment_id = any($2::text[])`,
    [gateway, textArrayLiteral(paymentIds)],
  )
  return withAgents(db, rows)
}

/** Whose wallet the money was for; nobody's when the order was never opened here. */
async function withAgents(db: Queryable, rows: readonly RefundRow[]): Promise<RefundFacts[]> {
  const ids = rows.flatMap(({ orderId }) => parseId('fund', orderId) ?? [])
  const fundings =
    ids.length === 0
      ? []
      : await db.query<{ id: Uuid; agentId: Uuid }>(
          `select id, agent_id as "agentId" from fundings where id = any($1::uuid[])`,
          [arrayLiteral(ids)],
        )
  const agents = new Map(fundings.map(({ id, agentId }) => [id, agentId]))
  return rows.map(row => ({ ...row, agentId: agents.get(parseId('fund', row.orderId) ?? '') ?? null }))
}
