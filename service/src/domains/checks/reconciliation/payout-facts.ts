import { arrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { PayoutFacts, PayoutPostings } from './compare-payout.ts'
import type { PageBounds } from './page-bounds.ts'

type PayoutRow = Omit<PayoutFacts, 'postings'> & PayoutPostings

const linkedSum = (kind: string, name: string) => `
    coalesce((select sum(l.amount_paise) from transfers l where l.linked_id = p.id and l.kind = '${kind}'),
      0)::int8 as "${name}"`

// One statement, so row and book are as of one moment.
const SELECT = `
  select p.id, p.agent_id as "agentId", p.provider, p.amount_paise as "amountPaise", p.status, p.utr,
    p.created_at as "createdAt", p.next_check_at as "nextCheckAt",
    coalesce((select sum(o.amount_paise) from transfers o
      where o.debit_account = p.agent_id and o.id = p.id and o.kind = 'payout'), 0)::int8 as "outPaise",
    ${linkedSum('payout_paid', 'paidPaise')}, ${linkedSum('payout_failed', 'failedPaise')},
    ${linkedSum('payout_reversed', 'reversedPaise')}
  from payouts p`

const IN_SPAN = `${SELECT} where p.id > $1 and p.id < $2 order by p.id limit $3`
const STILL_CHECKED = `${SELECT} where p.next_check_at is not null and p.id > $1 and p.id < $2
  order by p.id limit $3`

export async function readPayoutPage(db: Queryable, bounds: PageBounds): Promise<PayoutFacts[]> {
  const text = bounds.scope === 'span' ? IN_SPAN : STILL_CHECKED
  const rows = await db.query<PayoutRow>(text, [bounds.after, bounds.before, bounds.limit])
  return rows.map(factsFrom)
}

export async function readPayouts(db: Queryable, ids: readonly Uuid[]): Promise<PayoutFacts[]> {
  if (ids.length === 0) return []
  const rows = await db.query<PayoutRow>(`${SELECT} where p.id = any($1::uuid[])`, [arrayLiteral(ids)])
  return rows.map(factsFrom)
}

function factsFrom({ outPaise, paidPaise, failedPaise, reversedPaise, ...facts }: PayoutRow): PayoutFacts {
  return { ...facts, postings: { outPaise, paidPaise, failedPaise, reversedPaise } }
}
