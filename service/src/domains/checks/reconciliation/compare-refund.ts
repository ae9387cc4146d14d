import type { RefundStatus } from '../../../gateways/payment-gateway.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { type Paise, rupeesText } from '../../../kernel/money.ts'
import {
  type Found,
  isAwaited,
  isWithin,
  REFUND_DONE_WITHIN_MS,
  REFUND_SENT_WITHIN_MS,
} from './difference.ts'

/** A refund that is owed or was made, as its row has it. */
export interface RefundFacts {
  readonly id: Uuid
  readonly agentId: Uuid | null
  readonly gateway: string
  readonly orderId: string
  readonly gatewayOrderId: string | null
  readonly gatewayPaymentId: string
  readonly amountPaise: Paise
  readonly status: 'due' | 'sent' | 'done' | 'failed'
  readonly createdAt: Date
  readonly nextAttemptAt: Date | null
}

/** The difference between the row and the gateway; null of theirs: it never received the refund. */
export function compareRefund(facts: RefundFacts, theirs: RefundStatus | null, now: Date): Found | null {
  const { amountPaise, createdAt, nextAttemptAt, status } = facts
  const difference = { item: '', ours: oursOfRefund(facts), theirs: theirs ?? 'no such refund', amountPaise }
  switch (status) {
    case 'done':
      return theirs === 'done' ? null : { ...difference, kind: 'refund_not_made' }
    case 'failed':
      return { ...difference, kind: theirs === 'done' ? 'refund_status_differs' : 'refund_not_made' }
    case 'due':
    case 'sent':
      if (theirs === 'done') {
        return isAwaited(nextAttemptAt, null, now) ? null : { ...difference, kind: 'refund_status_differs' }
      }
      return isWithin(createdAt, theirs === 'pending' ? REFUND_DONE_WITHIN_MS : REFUND_SENT_WITHIN_MS, now)
        ? null
        : { ...difference, kind: 'refund_not_made' }
  }
}

export function oursOfRefund({ status, amountPaise }: RefundFacts): string {
  return `refund ${status} ${rupeesText(amountPaise)}`
}
