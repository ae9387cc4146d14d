import type { Queryable } from '../../db/database.ts'
import type { PageRequest } from '../../http/paging.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { Paise } from '../../kernel/money.ts'
import { refundedOf } from '../../ledger/index.ts'
import { policyVersionAt } from '../limits/index.ts'

/** A payment as it is listed: posted, or waiting for approval. */
export interface ListedPayment {
  /** The id of the payment or of the approval. */
  readonly id: Uuid
  readonly waits: boolean
  readonly payer: Uuid
  readonly payee: Uuid
  readonly amountPaise: Paise
  readonly feePaise: Paise
  /** The balance after it; for one that waits, the current balance. */
  readonly payerBalancePaise: Paise
  /** The amount refunded so far; zero for one that waits. */
  readonly refundedPaise: Paise
  readonly reference: string | null
  readonly at: Date
  /** The version of the policy that decided it; null if the history begins later, and for one that waits. */
  readonly policyVersion: string | null
  /** What the approval of one that waits stores besides; null for one that was posted. */
  readonly terms: unknown
}

export interface PaymentFilter {
  readonly payer: Uuid
  readonly idempotencyKey: string | null
  readonly reference: string | null
  readonly now: Date
}

interface Conditions {
  readonly made: string
  readonly waiting: string
  readonly values: unknown[]
}

/** Each filter has a statement of its own, so that each uses its index. */
function matching({ payer, idempotencyKey, reference, now }: PaymentFilter): Conditions {
  const values: unknown[] = [payer, now]
  let made = `t.debit_account = $1 and t.kind = 'payment'`
  let waiting = `a.agent_id = $1 and a.kind = 'payment' and a.status = 'pending_approval' and a.expires_at > $2`
  if (idempotencyKey !== null) {
    const key = `$${values.push(idempotencyKey)}`
    made += ` and t.idempotency_key = ${key}`
    waiting += ` and a.idempotency_key = ${key}`
  }
  if (reference !== null) {
    const text = `$${values.push(reference)}`
    made += ` and t.reference = ${text}`
    waiting += ` and a.reference = ${text}`
  }
  return { made, waiting, values }
}

/**
 * Ids of both kinds are ordered by time, so one order and one cursor serve the payments of both tables. Refunds are
 * summed outside, for the rows of the page and not for those that are skipped.
 */
export async function selectPayments(
  db: Queryable,
  filter: PaymentFilter,
  page: PageRequest,
): Promise<ListedPayment[]> {
  const { made, waiting, values } = matching(filter)
  const before = page.before === null ? null : `$${values.push(page.before)}`
  const older = (id: string) => (before === null ? '' : `and ${id} < ${before}`)
  const [offset, reach] = [`$${values.push(page.offset)}`, `$${values.push(page.offset + page.fetch)}`]
  return db.query<ListedPayment>(
    `select p.id, p.waits, p.payer, p.payee, p.amount as "amountPaise", p.fee as "feePaise",
       p.balance as "payerBalancePaise", ${refundedOf('p.id')} as "refundedPaise", p.reference, p.at, p.terms,
       case when not p.waits then ${policyVersionAt('p.payer', 'p.at')} end as "policyVersion"
     from (
       (select t.id, false as waits, t.debit_account as payer, t.credit_account as payee, t.amount_paise as amount,
          t.fee_paise as fee, t.debit_balance_paise as balance, t.reference, t.posted_at as at, null::jsonb as terms
        from transfers t where ${made} ${older('t.id')} order by t.id desc limit ${reach})
       union all
       (select a.id, true, a.agent_id, a.payee, a.amount_paise, a.fee_paise,
          (select w.balance_paise from accounts w where w.id = a.agent_id), a.reference, a.created_at, a.terms
        from approvals a where ${waiting} ${older('a.id')} order by a.id desc limit ${reach})
       order by id desc limit $${values.push(page.fetch)} offset ${offset}
     ) p order by p.id desc`,
    values,
  )
}

export async function countPayments(db: Queryable, filter: PaymentFilter): Promise<number> {
  const { made, waiting, values } = matching(filter)
  const [row] = await db.query<{ total: number }>(
    `select ((select count(*) from transfers t where ${made}) +
       (select count(*) from approvals a where ${waiting}))::int4 as total`,
    values,
  )
  return row?.total ?? 0
}
