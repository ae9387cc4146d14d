import type { IncomingHttpHeaders } from 'node:http'
import type { GatewayEvent, PaymentGateway } from '../../gateways/payment-gateway.ts'
import { AppError } from '../../kernel/app-error.ts'
import { newUuid, parseId } from '../../kernel/ids.ts'
import { checkFunding } from './check-funding.ts'
import type { FundingContext } from './context.ts'
import { isKnownNotice, rememberNotice } from './notice-store.ts'
import { hastenRefund, insertRefunds } from './refund-store.ts'
import { selectFundingById } from './store.ts'

/**
 * A notice of the gateway: once its signature is proved it only says where to look. It is remembered after it was
 * dealt with, so that one that came in vain is welcome again.
 */
export async function takeNotice(
  context: FundingContext,
  gatewayName: string,
  rawBody: Buffer,
  headers: IncomingHttpHeaders,
): Promise<void> {
  const { database, clock, logger } = context
  const gateway = context.gateways.named(gatewayName)
  if (gateway === undefined) throw new AppError('not_found', 'No gateway of this name sends notices here')
  const notice = gateway.parseWebhook(rawBody, headers)
  if (!notice.valid) {
    logger.warn({ gateway: gateway.name }, 'gateway notice: the signature is wrong')
    throw new AppError('authentication_error', 'The signature is not made with the secret of this gateway')
  }
  if (await isKnownNotice(database, gateway.name, notice.dedupeKey)) return
  for (const event of notice.events) await follow(context, gateway, event)
  await rememberNotice(database, gateway.name, notice.dedupeKey, clock.now())
}

async function follow(context: FundingContext, gateway: PaymentGateway, event: GatewayEvent): Promise<void> {
  const { database, clock } = context
  if (event.kind === 'refund') {
    const refund = parseId('refund', event.refundId)
    if (refund !== null) await hastenRefund(database, refund, clock.now())
    return
  }
  const id = parseId('fund', event.orderId)
  // Orders of another shape were made by somebody else who shares the account at the gateway.
  if (id === null) return
  const funding = await selectFundingById(database, id)
  const checked = funding === null ? null : await checkFunding(context, funding)
  if (checked === null) return refundUnknownOrder(context, gateway, event.orderId)
  if (checked.sighting === 'silence') throw notNow()
}

/** Money for an order that was never opened here, after a lost database for example, goes back. */
async function refundUnknownOrder(
  context: FundingContext,
  gateway: PaymentGateway,
  orderId: string,
): Promise<void> {
  const { database, clock, logger } = context
  const answer = await gateway.getOrder({ orderId, gatewayOrderId: null })
  if (answer.kind !== 'value') throw notNow()
  const { value: order } = answer
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
  await insertRefunds(database, refunds)
  logger.error({ order_id: orderId, payments: paid.length }, 'gateway notice: paid, but never opened here')
}

function notNow(): AppError {
  return new AppError('service_unavailable', 'The gateway could not be asked about this; send it again', {
    headers: { 'retry-after': '30' },
  })
}
