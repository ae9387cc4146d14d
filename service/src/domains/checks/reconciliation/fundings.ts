import { arrayLiteral, textArrayLiteral } from '../../../db/array-literal.ts'
import type { Database, Queryable } from '../../../db/database.ts'
import type { GatewayOrder } from '../../../gateways/payment-gateway.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { type Paise, paise, ZERO_PAISE } from '../../../kernel/money.ts'
import { SYSTEM } from '../../../ledger/index.ts'
import { orderIdOf } from '../../banking/index.ts'
import { compareFunding, type FundingFacts, isCredited, oursOf } from './compare-funding.ts'
import { type Compared, comparisonOf } from './comparison.ts'
import { type Found, type Subject, unchecked } from './difference.ts'
import type { Reconciler } from './query-gateway.ts'
import type { Counted, PageBounds } from './run.ts'

/** Fundings against the gateway's orders. */
export const fundingComparison = comparisonOf<FundingFacts>({
  readPage: readFundingPage,
  read: readFundings,
  compare,
})

async function compare({ gateways, query, clock }: Reconciler, facts: FundingFacts): Promise<Compared> {
  const subject = subjectOfFunding(facts)
  const gateway = gateways.named(facts.gateway)
  const key = { orderId: subject.subject, gatewayOrderId: facts.gatewayOrderId }
  const order =
    gateway === undefined
      ? ({ responded: false } as const)
      : await query(gateway.name, subject.subject, () => gateway.getOrder(key))
  if (!order.responded) {
    return { outcome: { subject, found: [unchecked(oursOf(facts), facts.amountPaise)] }, counted: [] }
  }
  const found: Found[] = compareFunding(facts, order.value, clock.now())
  return { outcome: { subject, found }, counted: countFunding(facts, order.value) }
}

function subjectOfFunding(facts: Pick<FundingFacts, 'id' | 'agentId' | 'gateway' | 'createdAt'>): Subject {
  const { agentId, gateway, createdAt } = facts
  return { about: 'funding', gateway, subject: orderIdOf(facts), agentId, happenedAt: createdAt }
}

/** What the ledger credited against what the gateway collected, and what each side says was charged back. */
function countFunding(facts: FundingFacts, order: GatewayOrder | null): Counted {
  const { credit, gatewayPaymentId, takenBackPaise } = facts
  const own = order?.payments.find(payment => payment.gatewayPaymentId === gatewayPaymentId)
  const paid = own?.status === 'success' ? own.amountPaise : ZERO_PAISE
  const lost = own?.chargedBack === true ? own.amountPaise : ZERO_PAISE
  const counted: Counted[number][] = []
  if (isCredited(facts) || credit !== null) {
    counted.push(['fundings', credit?.grossPaise ?? ZERO_PAISE, paid])
  }
  if (takenBackPaise > 0n || lost > 0n) counted.push(['chargebacks', takenBackPaise, lost])
  return counted
}

interface FundingRow extends Omit<FundingFacts, 'credit' | 'refunds'> {
  readonly creditPaise: Paise | null
  readonly creditFeePaise: Paise | null
  readonly creditAccount: Uuid | null
}

type RefundRow = FundingFacts['refunds'][number] & { readonly orderId: string }

const SELECT = `
  select f.id, f.agent_id as "agentId", f.gateway, f.gateway_order_id as "gatewayOrderId",
    f.amount_paise as "amountPaise", f.status, f.fee_paise as "feePaise",
    f.gateway_payment_id as "gatewayPaymentId", f.created_at as "createdAt", f.next_check_at as "nextCheckAt",
    t.amount_paise as "creditPaise", t.fee_paise as "creditFeePaise", t.credit_account as "creditAccount",
    coalesce((select sum(c.amount_paise) from transfers c where c.linked_id = f.id and c.kind = 'chargeback'),
      0)::int8 as "takenBackPaise"
  from fundings f
  left join transfers t on t.debit_account = '${SYSTEM.gateway}' and t.id = f.id and t.kind = 'fund'`

const IN_SPAN = `${SELECT} where f.id > $1 and f.id < $2 order by f.id limit $3`
const STILL_CHECKED = `${SELECT} where f.next_check_at is not null and f.id > $1 and f.id < $2
  order by f.id limit $3`
const BY_ID = `${SELECT} where f.id = any($1::uuid[]) order by f.id`

function readFundingPage(database: Database, bounds: PageBounds): Promise<FundingFacts[]> {
  const text = bounds.scope === 'span' ? IN_SPAN : STILL_CHECKED
  return inSnapshot(database, tx => tx.query(text, [bounds.after, bounds.before, bounds.limit]))
}

export async function readFundings(database: Database, ids: readonly Uuid[]): Promise<FundingFacts[]> {
  if (ids.length === 0) return []
  return inSnapshot(database, tx => tx.query(BY_ID, [arrayLiteral(ids)]))
}

/** Reads row, ledger and refunds as of one moment: a commit in between would look like a difference. */
function inSnapshot(
  database: Database,
  select: (tx: Queryable) => Promise<FundingRow[]>,
): Promise<FundingFacts[]> {
  return database.inTransaction(async tx => {
    await tx.query('set transaction isolation level repeatable read, read only')
    const rows = await select(tx)
    const refunds = await selectRefundsOf(tx, rows)
    return rows.map(row => factsFrom(row, refunds))
  })
}

function selectRefundsOf(tx: Queryable, rows: readonly FundingRow[]): Promise<RefundRow[]> {
  return tx.query<RefundRow>(
    `select order_id as "orderId", gateway_payment_id as "gatewayPaymentId", amount_paise as "amountPaise",
       currency, status from gateway_refunds where order_id = any($1::text[])`,
    [textArrayLiteral(rows.map(orderIdOfRow))],
  )
}

function factsFrom(row: FundingRow, refunds: readonly RefundRow[]): FundingFacts {
  const { creditPaise, creditFeePaise, creditAccount, ...facts } = row
  const orderId = orderIdOfRow(row)
  return {
    ...facts,
    credit: creditOf(creditPaise, creditFeePaise, creditAccount),
    refunds: refunds.filter(refund => refund.orderId === orderId),
  }
}

function creditOf(net: Paise | null, fee: Paise | null, account: Uuid | null): FundingFacts['credit'] {
  if (net === null || account === null) return null
  const feePaise = paise(fee ?? 0n)
  return { grossPaise: paise(net + feePaise), feePaise, account }
}

function orderIdOfRow({ id }: { readonly id: Uuid }): string {
  return formatId('fund', id)
}
