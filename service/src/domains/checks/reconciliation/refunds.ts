import { arrayLiteral, textArrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import { formatId, parseId, type Uuid } from '../../../kernel/ids.ts'
import { ZERO_PAISE } from '../../../kernel/money.ts'
import { compareRefund, oursOfRefund, type RefundFacts } from './compare-refund.ts'
import { type Compared, comparisonOf } from './comparison.ts'
import { type Subject, unchecked } from './difference.ts'
import type { Reconciler } from './query-gateway.ts'
import type { Counted, PageBounds } from './run.ts'

/** Refunds that are owed or were made, against the gateway's. */
export const refundComparison = comparisonOf<RefundFacts>({
  readPage: readRefundPage,
  read: readRefunds,
  compare,
})

async function compare({ gateways, query, clock }: Reconciler, facts: RefundFacts): Promise<Compared> {
  const subject = subjectOfRefund(facts)
  const unknown = {
    outcome: { subject, found: [unchecked(oursOfRefund(facts), facts.amountPaise)] },
    counted: [],
  }
  const gateway = gateways.named(facts.gateway)
  if (gateway === undefined) return unknown
  const key = { orderId: facts.orderId, gatewayOrderId: facts.gatewayOrderId }
  const refund = await query(gateway.name, subject.subject, () => gateway.getRefund(key, subject.subject))
  if (!refund.responded) return unknown
  const ours = facts.status === 'done' ? facts.amountPaise : ZERO_PAISE
  const theirs = refund.value === 'done' ? facts.amountPaise : ZERO_PAISE
  const counted: Counted = [['refunds', ours, theirs]]
  const found = compareRefund(facts, refund.value, clock.now())
  if (found?.kind !== 'refund_not_made') {
    return { outcome: { subject, found: found === null ? [] : [found] }, counted }
  }
  const order = await query(gateway.name, subject.subject, () => gateway.getOrder(key))
  if (!order.responded) return unknown
  // A payment that was charged back is not owed any more.
  const payment = order.value?.payments.find(one => one.gatewayPaymentId === facts.gatewayPaymentId)
  return { outcome: { subject, found: payment?.chargedBack === true ? [] : [found] }, counted }
}

function subjectOfRefund({ id, agentId, gateway, createdAt }: RefundFacts): Subject {
  return { about: 'refund', gateway, subject: formatId('refund', id), agentId, happenedAt: createdAt }
}

type RefundRow = Omit<RefundFacts, 'agentId'>

const SELECT = `
  select id, gateway, order_id as "orderId", gateway_order_id as "gatewayOrderId",
    gateway_payment_id as "gatewayPaymentId", amount_paise as "amountPaise", status, created_at as "createdAt",
    next_attempt_at as "nextAttemptAt" from gateway_refunds`

const IN_SPAN = `${SELECT} where id > $1 and id < $2 order by id limit $3`
const STILL_DUE = `${SELECT} where next_attempt_at is not null and id > $1 and id < $2 order by id limit $3`

async function readRefundPage(db: Queryable, bounds: PageBounds): Promise<RefundFacts[]> {
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

/** Adds the agent whose wallet the money was for; null if this service never opened the order. */
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
