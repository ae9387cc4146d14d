import { ZERO_PAISE } from '../../../kernel/money.ts'
import { transferIdOf } from '../../banking/index.ts'
import type { Comparing } from './ask.ts'
import { comparePayout, oursOfPayout, type PayoutFacts } from './compare-payout.ts'
import { type Subject, unchecked } from './difference.ts'
import { readPayoutPage, readPayouts } from './payout-facts.ts'
import { type Look, walkThrough } from './walk.ts'

/** Payouts against what their provider knows of them. */
export const payoutWalk = walkThrough<PayoutFacts>({ readPage: readPayoutPage, read: readPayouts, look })

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
