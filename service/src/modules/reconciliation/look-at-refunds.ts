import { formatId, type Uuid } from '../../kernel/ids.ts'
import { ZERO_PAISE } from '../../kernel/money.ts'
import { type Comparing, forEachOf } from './ask.ts'
import { compareRefund, oursOfRefund, type RefundFacts } from './compare-refund.ts'
import { isUnchecked, type Outcome, type Subject, unchecked } from './difference.ts'
import { PAGE_SIZE, type Page, positionBehind } from './page.ts'
import { boundsOf, type PageBounds } from './page-bounds.ts'
import { readRefundPage, readRefunds } from './refund-facts.ts'
import type { Run } from './run.ts'
import type { Counted } from './totals.ts'

interface Look {
  readonly outcome: Outcome
  readonly counted: Counted
}

/** A page of refunds that are owed or were made, against what the gateway knows of them. */
export async function lookAtRefunds(context: Comparing, run: Run, scope: PageBounds['scope']): Promise<Page> {
  const facts = await readRefundPage(context.database, boundsOf(run, scope, run.position, PAGE_SIZE))
  const looks = await forEachOf(facts, one => lookTwice(context, one))
  return {
    outcomes: looks.map(look => look.outcome),
    counted: looks.flatMap(look => look.counted),
    next: positionBehind(facts),
  }
}

export async function lookAtRefundsOf(context: Comparing, ids: readonly Uuid[]): Promise<Outcome[]> {
  const facts = await readRefunds(context.database, ids)
  const looks = await forEachOf(facts, one => lookTwice(context, one))
  return looks.map(look => look.outcome)
}

async function lookTwice(context: Comparing, facts: RefundFacts): Promise<Look> {
  const first = await look(context, facts)
  if (first.outcome.found.length === 0 || isUnchecked(first.outcome)) return first
  const [again] = await readRefunds(context.database, [facts.id])
  return again === undefined ? first : look(context, again)
}

async function look(context: Comparing, facts: RefundFacts): Promise<Look> {
  const subject = subjectOfRefund(facts)
  const unknown = {
    outcome: { subject, found: [unchecked(oursOfRefund(facts), facts.amountPaise)] },
    counted: [],
  }
  const gateway = context.gateways.named(facts.gateway)
  if (gateway === undefined) return unknown
  const key = { orderId: facts.orderId, gatewayOrderId: facts.gatewayOrderId }
  const asked = await context.ask(gateway.name, subject.subject, () =>
    gateway.getRefund(key, subject.subject),
  )
  if (!asked.answered) return unknown
  const ours = facts.status === 'done' ? facts.amountPaise : ZERO_PAISE
  const theirs = asked.value === 'done' ? facts.amountPaise : ZERO_PAISE
  const counted: Counted = [['refunds', ours, theirs]]
  const found = compareRefund(facts, asked.value, context.clock.now())
  if (found?.kind !== 'refund_not_made') {
    return { outcome: { subject, found: found === null ? [] : [found] }, counted }
  }
  const order = await context.ask(gateway.name, subject.subject, () => gateway.getOrder(key))
  if (!order.answered) return unknown
  // A payment that the bank has taken back is owed to nobody any more.
  const payment = order.value?.payments.find(one => one.gatewayPaymentId === facts.gatewayPaymentId)
  return { outcome: { subject, found: payment?.chargedBack === true ? [] : [found] }, counted }
}

export function subjectOfRefund({ id, agentId, gateway, createdAt }: RefundFacts): Subject {
  return { about: 'refund', gateway, subject: formatId('refund', id), agentId, happenedAt: createdAt }
}
