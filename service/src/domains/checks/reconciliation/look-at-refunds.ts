import { formatId } from '../../../kernel/ids.ts'
import { ZERO_PAISE } from '../../../kernel/money.ts'
import type { Comparing } from './ask.ts'
import { compareRefund, oursOfRefund, type RefundFacts } from './compare-refund.ts'
import { type Subject, unchecked } from './difference.ts'
import { readRefundPage, readRefunds } from './refund-facts.ts'
import type { Counted } from './totals.ts'
import { type Look, walkThrough } from './walk.ts'

/** Refunds that are owed or were made, against what the gateway knows of them. */
export const refundWalk = walkThrough<RefundFacts>({ readPage: readRefundPage, read: readRefunds, look })

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

function subjectOfRefund({ id, agentId, gateway, createdAt }: RefundFacts): Subject {
  return { about: 'refund', gateway, subject: formatId('refund', id), agentId, happenedAt: createdAt }
}
