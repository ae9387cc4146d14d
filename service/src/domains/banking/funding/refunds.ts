import type { GatewayResult } from '../../../gateways/gateway-result.ts'
import type { PaymentGateway, RefundStatus } from '../../../gateways/payment-gateway.ts'
import { formatId, parseId } from '../../../kernel/ids.ts'
import { recordFacts } from '../../../operations/record.ts'
import { refundAct } from './acts.ts'
import { logFailures } from './check-funding.ts'
import type { FundingContext } from './context.ts'
import { type ClaimedRefund, claimDueRefunds, postponeRefund, updateResolved } from './refund-store.ts'
import { selectFundingById } from './store.ts'

const BATCH = 20
/** Longer than two queries to a gateway may take. */
const LEASE_MS = 30_000
const FIRST_PAUSE_MS = 15_000
const LONGEST_PAUSE_MS = 6 * 60 * 60_000

/** Sends the refunds that are due: one bounded batch. Returns the number claimed. */
export async function sendDueRefunds(context: FundingContext, now: Date): Promise<number> {
  const due = await claimDueRefunds(
    context.database,
    context.vault,
    now,
    new Date(now.getTime() + LEASE_MS),
    BATCH,
  )
  const results = await Promise.allSettled(due.map(refund => sendRefund(context, refund)))
  logFailures(context.logger, results, 'refund attempt failed; it will be retried')
  return due.length
}

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
  const answer: GatewayResult<RefundStatus> =
    gateway === undefined
      ? { kind: 'retryable', message: 'no such gateway here' }
      : await queryOrSend(gateway, refund)
  const status = statusOf(answer)
  if (status === 'done' || status === 'failed') {
    await resolveRefund(context, refund, status)
    if (status === 'done') logger.info(facts, 'refund: done')
    else logger.error({ ...facts, answer: answer.kind }, 'refund: failed; an operator must refund the payer')
    return
  }
  const next = new Date(clock.now().getTime() + pauseMs(attempts))
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
    await recordFacts(tx, vault, now, [refundAct(refund, status, funding?.agentId ?? null)])
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

function statusOf(answer: GatewayResult<RefundStatus>): 'due' | 'sent' | 'done' | 'failed' {
  switch (answer.kind) {
    case 'value':
      return answer.value === 'pending' ? 'sent' : answer.value
    case 'rejected':
      return 'failed'
    case 'retryable':
    case 'unknown':
      return 'due'
  }
}

function pauseMs(attempts: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** Math.min(attempts, 20), LONGEST_PAUSE_MS)
}

export function refundIdOf({ id }: { readonly id: string }): string {
  return formatId('refund', id)
}
