import type { RefundStatus } from '../../../gateways/payment-gateway.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { type Paise, rupeesText } from '../../../kernel/money.ts'
import type { Found } from './difference.ts'
import { isAwaited, isWithin, REFUND_DONE_WITHIN_MS, REFUND_SENT_WITHIN_MS } from './grace.ts'

/** A refund that is owed or was made, as its row tells it. */
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

/** What the row and the gateway do not tell alike of a refund; null of theirs: it never got it. */
export function compareRefund(facts: RefundFacts, theirs: RefundStatus | null, now: Date): Found | null {
  const { amountPaise, createdAt, nextAttemptAt, status } = facts
  const told = { item: '', ours: oursOfRefund(facts), theirs: theirs ?? 'no such refund', amountPaise }
  switch (status) {
    case 'done':
      return theirs === 'done' ? null : { ...told, kind: 'refund_not_made' }
    case 'failed':
      return { ...told, kind: theirs === 'done' ? 'refund_status_differs' : 'refund_not_made' }
    case 'due':
    case 'sent':
      if (theirs === 'done') {
        return isAwaited(nextAttemptAt, null, now) ? null : { ...told, kind: 'refund_status_differs' }
      }
      return isWithin(createdAt, theirs === 'pending' ? REFUND_DONE_WITHIN_MS : REFUND_SENT_WITHIN_MS, now)
        ? null
        : { ...told, kind: 'refund_not_made' }
  }
}

export function oursOfRefund({ status, amountPaise }: RefundFacts): string {
  return `refund ${status} ${rupeesText(amountPaise)}`
}
