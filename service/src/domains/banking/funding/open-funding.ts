import { randomUUID } from 'node:crypto'
import type { FundingMethod } from '@batua/contract'
import type { GatewayResult } from '../../../gateways/gateway-result.ts'
import type { CreatedOrder, NewOrder, OrderKey, PaymentGateway } from '../../../gateways/payment-gateway.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { newUuid, type Uuid } from '../../../kernel/ids.ts'
import type { Paise } from '../../../kernel/money.ts'
import { type Actor, recordFacts } from '../../../operations/facts.ts'
import { orderIdOf } from './apply-funding-update.ts'
import { endFunding } from './check-funding.ts'
import type { FundingContext } from './context.ts'
import { nextCheckAt, SESSION_MS } from './decide.ts'
import { openedFact } from './facts.ts'
import type { Funding } from './funding.ts'
import { sessionIdOf } from './funding-record.ts'
import { insertFunding, recordOrder } from './store.ts'

/** The payee and the payer, as the gateway and the payer's app receive them. */
export interface Payer {
  readonly agentId: Uuid
  readonly handle: string
  readonly customer: { readonly id: string; readonly phone: string }
}

export interface FundingRequest {
  readonly payer: Payer
  readonly amountPaise: Paise
  readonly method: FundingMethod
  /** True when the payment starts at once, without the checkout page. */
  readonly opened: boolean
  /** The caller. */
  readonly actor: Actor
}

/**
 * Opens a payment session. The row is written before the call to the gateway: whatever fails after it, a later check
 * finds the order by the funding's id and records it, or lets the session expire.
 */
export async function openFunding(context: FundingContext, request: FundingRequest): Promise<Funding> {
  const { gateways, clock } = context
  const funding = newFunding(gateways.current.name, request, clock.now())
  await writeDown(context, funding, request.actor)
  const created = await createOrder(gateways.current, newOrder(context, funding, request.payer))
  if (created.kind === 'value') {
    await recordOrder(context.database, context.vault, funding, created.value)
    const { gatewayOrderId, gatewaySessionId } = created.value
    return { ...funding, gatewayOrderId, gatewaySessionId }
  }
  // The caller got an error for this session. If its order exists all the same, the check ends it at the gateway as
  // well.
  context.logger.error(
    { funding_id: orderIdOf(funding), kind: created.kind, reason: created.message },
    'funding failed: the gateway created no order',
  )
  await endFunding(context, funding, 'gateway_refused')
  throw gatewayError()
}

function writeDown({ database, vault }: FundingContext, funding: Funding, actor: Actor): Promise<void> {
  return database.inTransaction(async tx => {
    await insertFunding(tx, vault, funding)
    await recordFacts(tx, vault, funding.createdAt, [openedFact(actor, funding)])
  })
}

export function gatewayError(): AppError {
  const message =
    'The payment gateway did not respond as it should, so nothing was opened; try again in a moment'
  return new AppError('gateway_error', message, { headers: { 'retry-after': '5' } })
}

function newFunding(gateway: string, request: FundingRequest, now: Date): Funding {
  const session = {
    id: newUuid(now),
    agentId: request.payer.agentId,
    // The id alone opens the page, so all of it is random.
    sessionId: randomUUID(),
    gateway,
    method: request.method,
    amountPaise: request.amountPaise,
    createdAt: now,
    expiresAt: new Date(now.getTime() + SESSION_MS),
    openedAt: request.opened ? now : null,
    status: 'pending',
  } as const
  return {
    ...session,
    agentEndedAt: null,
    gatewayOrderId: null,
    gatewaySessionId: null,
    upiIntent: null,
    failureReason: null,
    lastAttempt: null,
    paidMethod: null,
    feePaise: null,
    gatewayPaymentId: null,
    bankReference: null,
    closedAt: null,
    reversedAt: null,
    nextCheckAt: nextCheckAt({ ...session, closedAt: null }, now),
  }
}

function newOrder({ checkoutUrl }: FundingContext, funding: Funding, payer: Payer): NewOrder {
  const { method } = funding
  return {
    orderId: orderIdOf(funding),
    amountPaise: funding.amountPaise,
    currency: 'INR',
    customer: payer.customer,
    note: `Funding @${payer.handle}`,
    expiresAt: funding.expiresAt,
    ...(method === 'link' ? {} : { methods: [method] }),
    // The gateway returns the payer to our page, which queries the gateway for the outcome.
    returnUrl: `${checkoutUrl}/${sessionIdOf(funding)}?back=gateway`,
  }
}

/** Queries an order once whose creation is in doubt; it is never created a second time. */
async function createOrder(gateway: PaymentGateway, order: NewOrder): Promise<GatewayResult<CreatedOrder>> {
  const created = await gateway.createOrder(order)
  if (created.kind !== 'unknown') return created
  const key: OrderKey = { orderId: order.orderId, gatewayOrderId: null }
  const found = await gateway.getOrder(key)
  return found.kind === 'value' && found.value !== null ? { kind: 'value', value: found.value } : created
}
