import type { PaidMethod } from '@batua/contract'
import { assert } from '../../kernel/assert.ts'
import { formatId, newUuid } from '../../kernel/ids.ts'
import { paise } from '../../kernel/money.ts'
import { type Funding, orderIdOf } from '../banking/index.ts'
import type { SandboxContext } from './context.ts'
import { newDisputeId } from './providers/simulate-webhooks.ts'
import type { Simulation } from './providers/simulation.ts'

/** A normal payment, and the outcome of its webhook. */
export async function simulatePayment(
  simulation: Simulation,
  order: string,
  outcome: 'success' | 'unnotified' | 'late_notice' | 'reserialised' | 'rotated_secret',
  method: PaidMethod,
): Promise<void> {
  const payment = await simulation.pay(order, { method })
  switch (outcome) {
    case 'success':
      return simulation.notify('PAYMENT_SUCCESS_WEBHOOK', payment)
    case 'late_notice':
      return simulation.notifyLate('PAYMENT_SUCCESS_WEBHOOK', payment)
    case 'reserialised':
      return simulation.notifyReserialised('PAYMENT_SUCCESS_WEBHOOK', payment)
    case 'rotated_secret':
      return simulation.notifyWithOldSecret('PAYMENT_SUCCESS_WEBHOOK', payment)
    case 'unnotified':
      return
  }
}

/** More than one webhook, or more than one payment, for one order. */
export async function simulateRepeats(
  simulation: Simulation,
  order: string,
  outcome: 'duplicate' | 'out_of_order' | 'double_payment' | 'refund_pending' | 'refund_failed',
  method: PaidMethod,
): Promise<void> {
  const payment = (await simulation.firstPaid(order)) ?? (await simulation.pay(order, { method }))
  const succeed = () => simulation.notify('PAYMENT_SUCCESS_WEBHOOK', payment)
  switch (outcome) {
    case 'duplicate':
      await Promise.all([succeed(), succeed()])
      return
    case 'out_of_order':
      await succeed()
      return simulation.notify('PAYMENT_FAILED_WEBHOOK', payment)
    case 'double_payment':
    case 'refund_pending':
    case 'refund_failed': {
      await succeed()
      const refund = REFUND_FAULTS[outcome]
      const second = await simulation.pay(order, { method, ...refund })
      return simulation.notify('PAYMENT_SUCCESS_WEBHOOK', second)
    }
  }
}

const REFUND_FAULTS = {
  double_payment: {},
  refund_pending: { refundFault: 'pending' },
  refund_failed: { refundFault: 'failed' },
} as const

const STRANGE_PAISE = paise(100_00n)

/** A payment of an order whose id has our shape but was never opened here, as after a lost database. */
export async function simulateUnknownOrder(
  { gateway, clock }: SandboxContext,
  { expiresAt }: Funding,
  method: PaidMethod,
): Promise<void> {
  const orderId = formatId('fund', newUuid(clock.now()))
  const order = {
    orderId,
    amountPaise: STRANGE_PAISE,
    currency: 'INR',
    customer: { id: 'nobody', phone: '9000000000' },
    note: 'Unknown',
    expiresAt,
  } as const
  await gateway.createOrder(order)
  const payment = await gateway.simulation.pay(orderId, { method })
  await gateway.simulation.notify('PAYMENT_SUCCESS_WEBHOOK', payment)
}

/** The payer disputes the payment at the bank: the dispute is open, won by us, or lost. */
export async function simulateDispute(
  { gateway: { simulation }, clock }: SandboxContext,
  funding: Funding,
  outcome: 'chargeback' | 'chargeback_created' | 'chargeback_won',
): Promise<void> {
  const order = orderIdOf(funding)
  const disputeId = newDisputeId(clock.now())
  const paymentId = funding.gatewayPaymentId
  assert(paymentId !== null, 'a completed funding has a payment')
  const paid = await simulation.payment(paymentId)
  await simulation.notifyDispute(disputeId, 'CHARGEBACK_CREATED', paid)
  switch (outcome) {
    case 'chargeback_created':
      return
    case 'chargeback_won':
      return simulation.notifyDispute(disputeId, 'CHARGEBACK_MERCHANT_WON', paid)
    case 'chargeback': {
      const lost = await simulation.chargeBack(order, paymentId)
      return simulation.notifyDispute(disputeId, 'CHARGEBACK_MERCHANT_LOST', lost)
    }
  }
}
