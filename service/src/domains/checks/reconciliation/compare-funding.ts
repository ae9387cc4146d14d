import type { GatewayOrder, GatewayPayment, PaidMethod } from '../../../gateways/payment-gateway.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { type Paise, paise, rupeesText, ZERO_PAISE } from '../../../kernel/money.ts'
import { type FundingState, gatewayFee } from '../../banking/index.ts'
import { type Found, isAwaited } from './difference.ts'

/** A funding as its row, the ledger and the refunds on its order have it, all as of one moment. */
export interface FundingFacts {
  readonly id: Uuid
  readonly agentId: Uuid
  readonly gateway: string
  readonly gatewayOrderId: string | null
  readonly amountPaise: Paise
  readonly status: FundingState
  readonly feePaise: Paise | null
  readonly gatewayPaymentId: string | null
  readonly createdAt: Date
  readonly nextCheckAt: Date | null
  /** What the ledger credited of it: the amount before the fee, the fee, and the wallet. Null: nothing. */
  readonly credit: { readonly grossPaise: Paise; readonly feePaise: Paise; readonly account: Uuid } | null
  /** What the ledger charged back. */
  readonly takenBackPaise: Paise
  readonly refunds: readonly {
    readonly gatewayPaymentId: string
    readonly amountPaise: Paise
    readonly currency: string
    readonly status: 'due' | 'sent' | 'done' | 'failed'
  }[]
}

/** Every difference between the row, the ledger and the gateway's order. */
export function compareFunding(facts: FundingFacts, order: GatewayOrder | null, now: Date): Found[] {
  const payments = order?.payments ?? []
  const own = payments.find(payment => payment.gatewayPaymentId === facts.gatewayPaymentId)
  const others = payments.filter(payment => payment !== own && isKept(payment))
  const found = isCredited(facts)
    ? [...compareOwn(facts, order, own, now), ...compareLedger(facts)]
    : compareUnpaid(facts, order, others)
  return [...found, ...others.flatMap(payment => compareOther(facts, payment, now) ?? [])]
}

export function isCredited({ status }: Pick<FundingFacts, 'status'>): boolean {
  return status === 'completed' || status === 'reversed'
}

/** Whether the gateway collected the money and no bank charged it back. */
function isKept({ status, chargedBack }: GatewayPayment): boolean {
  return status === 'success' && !chargedBack
}

function compareOwn(
  facts: FundingFacts,
  order: GatewayOrder | null,
  own: GatewayPayment | undefined,
  now: Date,
): Found[] {
  const { amountPaise, status } = facts
  const ours = oursOf(facts)
  if (own === undefined || own.status !== 'success') {
    const theirs = order === null ? 'no such order' : (own?.status ?? 'not paid')
    return [{ kind: 'credited_not_paid', item: '', ours, theirs, amountPaise }]
  }
  const theirs = theirsOf(own)
  const found: Found[] = []
  if (own.currency !== 'INR' || own.amountPaise !== amountPaise) {
    const stake = own.currency === 'INR' ? apart(own.amountPaise, amountPaise) : amountPaise
    found.push({ kind: 'amount_differs', item: '', ours, theirs, amountPaise: stake })
  }
  if (facts.refunds.some(refund => refund.gatewayPaymentId === own.gatewayPaymentId)) {
    found.push({ kind: 'credited_not_paid', item: '', ours, theirs: `${theirs}, refunded`, amountPaise })
  }
  if (own.chargedBack && status === 'completed' && !isAwaited(facts.nextCheckAt, null, now)) {
    found.push({ kind: 'chargeback_not_posted', item: '', ours, theirs: 'charged back', amountPaise })
  }
  if (!own.chargedBack && status === 'reversed') {
    found.push({ kind: 'chargeback_unknown_there', item: '', ours, theirs, amountPaise })
  }
  return [...found, ...compareFee(facts, own.method)]
}

/** The fee is that of the method that was used, and the row and the ledger have the same. */
function compareFee({ amountPaise, feePaise, credit }: FundingFacts, method: PaidMethod): Found[] {
  const due = gatewayFee(amountPaise, method)
  const taken = [feePaise ?? ZERO_PAISE, credit?.feePaise ?? feePaise ?? ZERO_PAISE]
  const wrong = taken.find(fee => fee !== due)
  if (wrong === undefined) return []
  const ours = `fee ${rupeesText(wrong)}`
  const theirs = `${method}: fee ${rupeesText(due)}`
  return [{ kind: 'fee_differs', item: '', ours, theirs, amountPaise: apart(wrong, due) }]
}

/** The ledger must have what the row of a credited funding says. */
function compareLedger(facts: FundingFacts): Found[] {
  const { amountPaise, credit, takenBackPaise, status } = facts
  const base = { item: 'book', ours: oursOf(facts), amountPaise }
  if (credit === null || credit.account !== facts.agentId) {
    const theirs = credit === null ? 'not in the ledger' : 'in the ledger for another wallet'
    return [{ ...base, kind: 'payment_not_credited', theirs }]
  }
  const found: Found[] = []
  if (credit.grossPaise !== amountPaise) {
    const theirs = `in the ledger ${rupeesText(credit.grossPaise)}`
    found.push({
      ...base,
      kind: 'amount_differs',
      theirs,
      amountPaise: apart(credit.grossPaise, amountPaise),
    })
  }
  const owed = status === 'reversed' ? amountPaise : 0n
  if (takenBackPaise === owed) return found
  const kind = takenBackPaise < owed ? 'chargeback_not_posted' : 'chargeback_unknown_there'
  const theirs = `in the ledger ${rupeesText(takenBackPaise)} taken back`
  return [...found, { ...base, kind, theirs, amountPaise: apart(takenBackPaise, owed) }]
}

/** A session that was not paid credited nothing; what was paid afterwards is refunded. */
function compareUnpaid(
  facts: FundingFacts,
  order: GatewayOrder | null,
  others: readonly GatewayPayment[],
): Found[] {
  const { credit, amountPaise } = facts
  const found: Found[] = []
  if (credit !== null) {
    const ours = `${oursOf(facts)}, in the ledger ${rupeesText(credit.grossPaise)}`
    const theirs = others.length === 0 ? 'not paid' : others.map(theirsOf).join(', ')
    found.push({ kind: 'credited_not_paid', item: 'book', ours, theirs, amountPaise: credit.grossPaise })
  }
  if (order !== null && order.amountPaise !== amountPaise) {
    const theirs = `order ${rupeesText(order.amountPaise)}`
    const stake = apart(order.amountPaise, amountPaise)
    found.push({ kind: 'amount_differs', item: '', ours: oursOf(facts), theirs, amountPaise: stake })
  }
  return found
}

/** Money that was credited to no wallet must be refunded. */
function compareOther(facts: FundingFacts, payment: GatewayPayment, now: Date): Found | null {
  const { gatewayPaymentId: item, amountPaise, currency, paidAt } = payment
  const refund = facts.refunds.find(candidate => candidate.gatewayPaymentId === item)
  const theirs = theirsOf(payment)
  if (refund === undefined) {
    if (isAwaited(facts.nextCheckAt, paidAt, now)) return null
    return { kind: 'payment_not_credited', item, ours: oursOf(facts), theirs, amountPaise }
  }
  if (refund.amountPaise === amountPaise && refund.currency === currency) return null
  const ours = `refund ${rupeesText(refund.amountPaise)} ${refund.currency}`
  return {
    kind: 'amount_differs',
    item,
    ours,
    theirs,
    amountPaise: apart(refund.amountPaise, amountPaise),
  }
}

export function oursOf({ status, amountPaise }: Pick<FundingFacts, 'status' | 'amountPaise'>): string {
  return `${status} ${rupeesText(amountPaise)}`
}

function theirsOf({ amountPaise, currency }: GatewayPayment): string {
  return `paid ${rupeesText(amountPaise)}${currency === 'INR' ? '' : ` ${currency}`}`
}

/** How far two amounts are apart. */
export function apart(left: bigint, right: bigint): Paise {
  return paise(left > right ? left - right : right - left)
}
