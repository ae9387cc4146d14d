import type { Uuid } from '../../kernel/ids.ts'
import { ZERO_PAISE } from '../../kernel/money.ts'
import { transferIdOf } from '../payouts/index.ts'
import { type Comparing, forEachOf } from './ask.ts'
import { comparePayout, oursOfPayout, type PayoutFacts } from './compare-payout.ts'
import { isUnchecked, type Outcome, type Subject, unchecked } from './difference.ts'
import { PAGE_SIZE, type Page, positionBehind } from './page.ts'
import { boundsOf, type PageBounds } from './page-bounds.ts'
import { readPayoutPage, readPayouts } from './payout-facts.ts'
import type { Run } from './run.ts'
import type { Counted } from './totals.ts'

interface Look {
  readonly outcome: Outcome
  readonly counted: Counted
}

/** A page of payouts against what their provider knows of them. */
export async function lookAtPayouts(context: Comparing, run: Run, scope: PageBounds['scope']): Promise<Page> {
  const facts = await readPayoutPage(context.database, boundsOf(run, scope, run.position, PAGE_SIZE))
  const looks = await forEachOf(facts, one => lookTwice(context, one))
  return {
    outcomes: looks.map(look => look.outcome),
    counted: looks.flatMap(look => look.counted),
    next: positionBehind(facts),
  }
}

export async function lookAtPayoutsOf(context: Comparing, ids: readonly Uuid[]): Promise<Outcome[]> {
  const facts = await readPayouts(context.database, ids)
  const looks = await forEachOf(facts, one => lookTwice(context, one))
  return looks.map(look => look.outcome)
}

async function lookTwice(context: Comparing, facts: PayoutFacts): Promise<Look> {
  const first = await look(context, facts)
  if (first.outcome.found.length === 0 || isUnchecked(first.outcome)) return first
  const [again] = await readPayouts(context.database, [facts.id])
  return again === undefined ? first : look(context, again)
}

async function look(context: Comparing, facts: PayoutFacts): Promise<Look> {
  const { payoutProvider, clock } = context
  const subject = subjectOfPayout(facts)
  const asked =
    facts.provider === payoutProvider.name
      ? await context.ask(payoutProvider.name, subject.subject, () => payoutProvider.get(subject.subject))
      : ({ answered: false } as const)
  if (!asked.answered) {
    return { outcome: { subject, found: [unchecked(oursOfPayout(facts), facts.amountPaise)] }, counted: [] }
  }
  const isOut = facts.status === 'completed'
  const ours = isOut ? facts.amountPaise : ZERO_PAISE
  const theirs = asked.value?.status === 'success' ? asked.value.amountPaise : ZERO_PAISE
  const found = comparePayout(facts, asked.value, clock.now())
  return { outcome: { subject, found }, counted: [['payouts', ours, theirs]] }
}

export function subjectOfPayout(facts: PayoutFacts): Subject {
  const { agentId, provider, createdAt } = facts
  return {
    about: 'payout',
    gateway: provider,
    subject: transferIdOf(facts),
    agentId,
    happenedAt: createdAt,
  }
}
