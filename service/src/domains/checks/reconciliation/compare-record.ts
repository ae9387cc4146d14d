import type { GatewayRecord } from '../../../gateways/payment-gateway.ts'
import { type Paise, rupeesText } from '../../../kernel/money.ts'
import { apart, type FundingFacts, oursOf } from './compare-funding.ts'
import { oursOfRefund, type RefundFacts } from './compare-refund.ts'
import { type Found, isAwaited } from './difference.ts'

/** What is known here of one movement in the gateway's records. */
export interface KnownHere {
  /** The funding that the order is of. */
  readonly funding: FundingFacts | null
  /** The refund of that payment, or the one that the record is about. */
  readonly refund: RefundFacts | null
}

/** A payment, refund or chargeback in the gateway's records against what is known here; null: they agree. */
export function compareRecord(record: GatewayRecord, known: KnownHere, now: Date): Found | null {
  switch (record.kind) {
    case 'payment':
      return comparePayment(record, known, now)
    case 'refund':
      return compareRefunded(record, known.refund)
    case 'chargeback':
      return compareChargeback(record, known, now)
    case 'settlement':
      return null
  }
}

function comparePayment(record: GatewayRecord, { funding, refund }: KnownHere, now: Date): Found | null {
  const { id, amountPaise } = record
  const theirs = theirsOfRecord(record)
  if (refund !== null) return null
  if (funding === null) return unknownHere(record)
  const difference = { item: itemOf(record), ours: oursOf(funding), theirs }
  if (funding.gatewayPaymentId !== id) {
    return isAwaited(funding.nextCheckAt, record.at, now)
      ? null
      : { ...difference, kind: 'payment_not_credited', amountPaise }
  }
  if (funding.amountPaise === amountPaise) return null
  return { ...difference, kind: 'amount_differs', amountPaise: apart(funding.amountPaise, amountPaise) }
}

function compareRefunded(record: GatewayRecord, refund: RefundFacts | null): Found | null {
  if (refund === null) return unknownHere(record)
  const difference = { item: itemOf(record), ours: oursOfRefund(refund), theirs: theirsOfRecord(record) }
  if (refund.amountPaise !== record.amountPaise) {
    const stake = apart(refund.amountPaise, record.amountPaise)
    return { ...difference, kind: 'amount_differs', amountPaise: stake }
  }
  if (refund.status !== 'failed') return null
  return { ...difference, kind: 'refund_status_differs', amountPaise: refund.amountPaise }
}

function compareChargeback(record: GatewayRecord, { funding, refund }: KnownHere, now: Date): Found | null {
  if (funding === null) return refund === null ? unknownHere(record) : null
  // A chargeback of a payment that was credited to no wallet concerns nobody.
  if (funding.gatewayPaymentId !== record.id) return null
  const difference = { item: itemOf(record), ours: oursOf(funding), theirs: theirsOfRecord(record) }
  if (funding.status !== 'reversed') {
    return isAwaited(funding.nextCheckAt, record.at, now)
      ? null
      : { ...difference, kind: 'chargeback_not_posted', amountPaise: record.amountPaise }
  }
  if (funding.amountPaise === record.amountPaise) return null
  return {
    ...difference,
    kind: 'amount_differs',
    amountPaise: apart(funding.amountPaise, record.amountPaise),
  }
}

function unknownHere(record: GatewayRecord): Found {
  const { amountPaise } = record
  return {
    kind: 'payment_unknown_here',
    item: itemOf(record),
    ours: null,
    theirs: theirsOfRecord(record),
    amountPaise,
  }
}

/** Names a record within its order. */
export function itemOf({ kind, id }: Pick<GatewayRecord, 'kind' | 'id'>): string {
  return `${kind} ${id}`
}

function theirsOfRecord({ kind, amountPaise }: GatewayRecord): string {
  return `${kind} ${rupeesText(amountPaise)}`
}

/** What is known of a settlement once all records of a run are read. */
export interface SettlementSums {
  readonly id: string
  readonly gateway: string
  readonly settledPaise: Paise
  /** What its own record names as charges. */
  readonly chargesPaise: Paise
  readonly settledAt: Date
  /** Movements that name it, and their sum: payments less charges, refunds and chargebacks. */
  readonly parts: number
  readonly partsPaise: Paise
}

/**
 * What reached our bank account must follow from what the gateway took and kept. Gateways put their charges on the
 * payments, on the settlement, or on both: either sum is right. One that no movement names cannot be compared.
 */
export function compareSettlement(sums: SettlementSums): Found | null {
  const { settledPaise, chargesPaise, parts, partsPaise } = sums
  if (parts === 0) return null
  if (settledPaise === partsPaise || settledPaise === partsPaise - chargesPaise) return null
  return {
    kind: 'settlement_amount_differs',
    item: '',
    ours: `${parts} movements come to ${rupeesText(partsPaise)}`,
    theirs: `settled ${rupeesText(settledPaise)}, charges ${rupeesText(chargesPaise)}`,
    amountPaise: apart(settledPaise, partsPaise),
  }
}

/** What one movement adds to its settlement. */
export function partOf({ kind, amountPaise, chargesPaise }: GatewayRecord): bigint {
  const charges = chargesPaise ?? 0n
  return kind === 'payment' ? amountPaise - charges : -(amountPaise + charges)
}
