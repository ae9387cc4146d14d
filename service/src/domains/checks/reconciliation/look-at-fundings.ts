import type { GatewayOrder } from '../../../gateways/payment-gateway.ts'
import { ZERO_PAISE } from '../../../kernel/money.ts'
import { orderIdOf } from '../../banking/index.ts'
import type { Comparing } from './ask.ts'
import { compareFunding, type FundingFacts, isCredited, oursOf } from './compare-funding.ts'
import { type Found, type Subject, unchecked } from './difference.ts'
import { readFundingPage, readFundings } from './funding-facts.ts'
import type { Counted } from './totals.ts'
import { type Look, walkThrough } from './walk.ts'

/** Fundings against the gateway's orders. */
export const fundingWalk = walkThrough<FundingFacts>({ readPage: readFundingPage, read: readFundings, look })

async function look(context: Comparing, facts: FundingFacts): Promise<Look> {
  const subject = subjectOfFunding(facts)
  const gateway = context.gateways.named(facts.gateway)
  const key = { orderId: subject.subject, gatewayOrderId: facts.gatewayOrderId }
  const asked =
    gateway === undefined
      ? ({ answered: false } as const)
      : await context.ask(gateway.name, subject.subject, () => gateway.getOrder(key))
  if (!asked.answered) {
    return { outcome: { subject, found: [unchecked(oursOf(facts), facts.amountPaise)] }, counted: [] }
  }
  const found: Found[] = compareFunding(facts, asked.value, context.clock.now())
  return { outcome: { subject, found }, counted: countFunding(facts, asked.value) }
}

function subjectOfFunding(facts: Pick<FundingFacts, 'id' | 'agentId' | 'gateway' | 'createdAt'>): Subject {
  const { agentId, gateway, createdAt } = facts
  return { about: 'funding', gateway, subject: orderIdOf(facts), agentId, happenedAt: createdAt }
}

/** What the book credited against what the gateway took, and what each side says was taken back of it. */
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
