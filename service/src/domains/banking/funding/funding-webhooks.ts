import { AlteredRow } from '../../../db/row-mac.ts'
import type { GatewayEvent, PaymentGateway } from '../../../gateways/payment-gateway.ts'
import { newUuid, parseId, type Uuid } from '../../../kernel/ids.ts'
import { retryLater, type WebhookHandler } from '../gateway-webhooks.ts'
import { checkFunding } from './check-funding.ts'
import type { FundingContext } from './context.ts'
import { insertRefunds, makeRefundDue } from './refund-store.ts'
import { selectFundingById, wasCredited } from './store.ts'

const GONE = 'is gone, though it was credited'

/** The webhook handlers of the gateways: of the current one, and of those that may still have old orders. */
export function fundingWebhooks(context: FundingContext): WebhookHandler[] {
  return context.gateways.all.map(gateway => ({
    name: gateway.name,
    read(rawBody, headers) {
      const { valid, dedupeKey, events } = gateway.parseWebhook(rawBody, headers)
      return {
        valid,
        dedupeKey,
        async follow() {
          for (const event of events) await follow(context, gateway, event)
        },
      }
    },
  }))
}

async function follow(context: FundingContext, gateway: PaymentGateway, event: GatewayEvent): Promise<void> {
  const { database, clock, vault } = context
  if (event.kind === 'refund') {
    const refund = parseId('refund', event.refundId)
    if (refund !== null) await makeRefundDue(database, refund, clock.now())
    return
  }
  const id = parseId('fund', event.orderId)
  // Orders with an id of another shape belong to another system that shares the account at the gateway.
  if (id === null) return
  const funding = await selectFundingById(database, vault, id)
  const checked = funding === null ? null : await checkFunding(context, funding)
  if (checked === null) return refundUnknownOrder(context, gateway, event.orderId, id)
  if (checked.reported === 'no_response') throw retryLater()
}

/**
 * Refunds the money of an order that was never opened here, for example after a lost database. What was credited stays,
 * whatever happened to the funding's row.
 */
async function refundUnknownOrder(
  context: FundingContext,
  gateway: PaymentGateway,
  orderId: string,
  id: Uuid,
): Promise<void> {
  const { database, clock, vault, logger } = context
  if (await wasCredited(database, id)) {
    vault.onAltered('fundings', id, GONE)
    throw new AlteredRow('fundings', id, GONE)
  }
  const response = await gateway.getOrder({ orderId, gatewayOrderId: null })
  if (response.kind !== 'value') throw retryLater()
  const { value: order } = response
  const paid = order?.payments.filter(payment => payment.status === 'success' && !payment.chargedBack) ?? []
  if (order === null || paid.length === 0) return
  const now = clock.now()
  const { gatewayOrderId } = order
  const refunds = paid.map(({ gatewayPaymentId, amountPaise, currency }) => ({
    id: newUuid(now),
    gateway: gateway.name,
    orderId,
    gatewayOrderId,
    gatewayPaymentId,
    amountPaise,
    currency,
    reason: 'unknown_order' as const,
    now,
  }))
  await insertRefunds(database, vault, refunds)
  logger.error(
    { order_id: orderId, payments: paid.length },
    'gateway webhook: paid order was never opened here',
  )
}
