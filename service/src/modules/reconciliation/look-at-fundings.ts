import type { GatewayOrder } from '../../gateways/payment-gateway.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { ZERO_PAISE } from '../../kernel/money.ts'
import { orderIdOf } from '../funding/index.ts'
import { type Comparing, forEachOf } from './ask.ts'
import { compareFunding, type FundingFacts, isCredited, oursOf } from './compare-funding.ts'
import { type Found, isUnchecked, type Outcome, type Subject, unchecked } from './difference.ts'
import { readFundingPage, readFundings } from './funding-facts.ts'
import { PAGE_SIZE, type Page, positionBehind } from './page.ts'
import { boundsOf, type PageBounds } from './page-bounds.ts'
import type { Run } from './run.ts'
import type { Counted } from './totals.ts'

/** A page of fundings against the gateway's orders. */
export async function lookAtFundings(
  context: Comparing,
  run: Run,
  scope: PageBounds['scope'],
): Promise<Page> {
  const facts = await readFundingPage(context.database, boundsOf(run, scope, run.position, PAGE_SIZE))
  const looks = await lookAtEach(context, facts)
  return {
    outcomes: looks.map(look => look.outcome),
    counted: looks.flatMap(look => look.counted),
    next: positionBehind(facts),
  }
}

/** The same for single fundings, as they are now. */
export async function lookAtFundingsOf(context: Comparing, ids: readonly Uuid[]): Promise<Outcome[]> {
  const looks = await lookAtEach(context, await readFundings(context.database, ids))
  return looks.map(look => look.outcome)
}

interface Look {
  readonly outcome: Outcome
  readonly counted: Counted
}

function lookAtEach(context: Comparing, facts: readonly FundingFacts[]): Promise<Look[]> {
  return forEachOf(facts, one => lookTwice(context, one))
}

/** A payment may be settled between reading its row and asking: what differs only at the first look differs no more. */
async function lookTwice(context: Comparing, facts: FundingFacts): Promise<Look> {
  const first = await look(context, facts)
  if (first.outcome.found.length === 0 || isUnchecked(first.outcome)) return first
  const [again] = await readFundings(context.database, [facts.id])
  return again === undefined ? first : look(context, again)
}

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

export function subjectOfFunding(
  facts: Pick<FundingFacts, 'id' | 'agentId' | 'gateway' | 'createdAt'>,
): Subject {
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
