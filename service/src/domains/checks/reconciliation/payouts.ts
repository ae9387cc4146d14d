import { arrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { ZERO_PAISE } from '../../../kernel/money.ts'
import { transferIdOf } from '../../banking/index.ts'
import { comparePayout, oursOfPayout, type PayoutFacts, type PayoutPostings } from './compare-payout.ts'
import { type Compared, comparisonOf } from './comparison.ts'
import { type Subject, unchecked } from './difference.ts'
import type { Reconciler } from './query-gateway.ts'
import type { PageBounds } from './run.ts'

/** Payouts against their provider's. */
export const payoutComparison = comparisonOf<PayoutFacts>({
  readPage: readPayoutPage,
  read: readPayouts,
  compare,
})

async function compare({ payoutProvider, query, clock }: Reconciler, facts: PayoutFacts): Promise<Compared> {
  const subject = subjectOfPayout(facts)
  const payout =
    facts.provider === payoutProvider.name
      ? await query(payoutProvider.name, subject.subject, () => payoutProvider.get(subject.subject))
      : ({ responded: false } as const)
  if (!payout.responded) {
    return { outcome: { subject, found: [unchecked(oursOfPayout(facts), facts.amountPaise)] }, counted: [] }
  }
  const isOut = facts.status === 'completed'
  const ours = isOut ? facts.amountPaise : ZERO_PAISE
  const theirs = payout.value?.status === 'success' ? payout.value.amountPaise : ZERO_PAISE
  const found = comparePayout(facts, payout.value, clock.now())
  return { outcome: { subject, found }, counted: [['payouts', ours, theirs]] }
}

function subjectOfPayout(facts: PayoutFacts): Subject {
  const { agentId, provider, createdAt } = facts
  return {
    about: 'payout',
    gateway: provider,
    subject: transferIdOf(facts),
    agentId,
    happenedAt: createdAt,
  }
}

type PayoutRow = Omit<PayoutFacts, 'postings'> & PayoutPostings

const linkedSum = (kind: string, name: string) => `
    coalesce((select sum(l.amount_paise) from transfers l where l.linked_id = p.id and l.kind = '${kind}'),
      0)::int8 as "${name}"`

// One statement, so row and ledger are as of one moment.
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

async function readPayoutPage(db: Queryable, bounds: PageBounds): Promise<PayoutFacts[]> {
  const text = bounds.scope === 'span' ? IN_SPAN : STILL_CHECKED
  const rows = await db.query<PayoutRow>(text, [bounds.after, bounds.before, bounds.limit])
  return rows.map(factsFrom)
}

async function readPayouts(db: Queryable, ids: readonly Uuid[]): Promise<PayoutFacts[]> {
  if (ids.length === 0) return []
  const rows = await db.query<PayoutRow>(`${SELECT} where p.id = any($1::uuid[])`, [arrayLiteral(ids)])
  return rows.map(factsFrom)
}

function factsFrom({ outPaise, paidPaise, failedPaise, reversedPaise, ...facts }: PayoutRow): PayoutFacts {
  return { ...facts, postings: { outPaise, paidPaise, failedPaise, reversedPaise } }
}
