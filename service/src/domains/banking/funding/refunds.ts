import type { GatewayResult } from '../../../gateways/gateway-result.ts'
import type { PaymentGateway, RefundStatus } from '../../../gateways/payment-gateway.ts'
import { backoffMs, HOUR_MS } from '../../../kernel/clock.ts'
import { formatId, parseId } from '../../../kernel/ids.ts'
import { dueWork } from '../../../operations/due-work.ts'
import { recordFacts } from '../../../operations/facts.ts'
import type { FundingContext } from './context.ts'
import { refundFact } from './facts.ts'
import { type ClaimedRefund, dueRefunds, postponeRefund, updateResolved } from './refund-store.ts'
import { selectFundingById } from './store.ts'

const RETRY_PAUSE = { firstMs: 30_000, longestMs: 6 * HOUR_MS }

/** Sends refunds, and queries those that are sent until they are done. */
export const gatewayRefunds = dueWork<FundingContext, ClaimedRefund>({
  name: 'gateway refunds',
  rows: dueRefunds,
  work: sendRefund,
  failure: 'refund attempt failed; it will be retried',
  ids: refund => ({ refund_id: refundIdOf(refund) }),
})

async function sendRefund(context: FundingContext, refund: ClaimedRefund): Promise<void> {
  const { database, gateways, clock, logger } = context
  const { orderId, gatewayPaymentId, reason, attempts } = refund
  const facts = {
    refund_id: refundIdOf(refund),
    order_id: orderId,
    gateway_payment_id: gatewayPaymentId,
    reason,
  }
  if (attempts === 1) logger.warn(facts, 'refund: payment is refunded to its payer')
  const gateway = gateways.named(refund.gateway)
  const response: GatewayResult<RefundStatus> =
    gateway === undefined
      ? { kind: 'retryable', message: 'no such gateway here' }
      : await queryOrSend(gateway, refund)
  const status = statusOf(response)
  if (status === 'done' || status === 'failed') {
    await resolveRefund(context, refund, status)
    if (status === 'done') logger.info(facts, 'refund: done')
    else
      logger.error({ ...facts, response: response.kind }, 'refund: failed; an operator must refund the payer')
    return
  }
  const next = new Date(clock.now().getTime() + backoffMs(attempts - 1, RETRY_PAUSE))
  await postponeRefund(database, refund.id, status, next)
}

/** Two nodes may learn the result at the same time; one of them records it. */
function resolveRefund(
  { database, vault, clock }: FundingContext,
  refund: ClaimedRefund,
  status: 'done' | 'failed',
): Promise<void> {
  const now = clock.now()
  const fundingId = parseId('fund', refund.orderId)
  return database.inTransaction(async tx => {
    const funding = fundingId === null ? null : await selectFundingById(tx, vault, fundingId)
    if (!(await updateResolved(tx, refund.id, status, now))) return
    await recordFacts(tx, vault, now, [refundFact(refund, status, funding?.agentId ?? null)])
  })
}

/** An earlier attempt may have reached the gateway, so the gateway is queried before anything is sent again. */
async function queryOrSend(
  gateway: PaymentGateway,
  refund: ClaimedRefund,
): Promise<GatewayResult<RefundStatus>> {
  const { orderId, gatewayOrderId, gatewayPaymentId, amountPaise, currency } = refund
  const key = { orderId, gatewayOrderId }
  const refundId = refundIdOf(refund)
  if (refund.attempts > 1) {
    const known = await gateway.getRefund(key, refundId)
    if (known.kind !== 'value') return known.kind === 'rejected' ? { ...known, kind: 'retryable' } : known
    if (known.value !== null) return { kind: 'value', value: known.value }
  }
  const note = `Returned: ${refund.reason.replaceAll('_', ' ')}`
  return gateway.refund(key, { refundId, gatewayPaymentId, amountPaise, currency, note })
}

function statusOf(response: GatewayResult<RefundStatus>): 'due' | 'sent' | 'done' | 'failed' {
  switch (response.kind) {
    case 'value':
      return response.value === 'pending' ? 'sent' : response.value
    case 'rejected':
      return 'failed'
    case 'retryable':
    case 'unknown':
      return 'due'
  }
}

export function refundIdOf({ id }: { readonly id: string }): string {
  return formatId('refund', id)
}
