import type { PaidMethod } from '@batua/contract'
import type { Rehearsal } from '../../gateways/sandbox/rehearsal.ts'
import { newDisputeId } from '../../gateways/sandbox/rehearse-notices.ts'
import { assert } from '../../kernel/assert.ts'
import { formatId, newUuid } from '../../kernel/ids.ts'
import { paise } from '../../kernel/money.ts'
import { type Funding, orderIdOf } from '../funding/index.ts'
import type { SandboxContext } from './context.ts'

/** A payment as it should be, and what becomes of the notice about it. */
export async function playNotice(
  rehearsal: Rehearsal,
  order: string,
  outcome: 'success' | 'unnotified' | 'late_notice' | 'reserialised' | 'rotated_secret',
  method: PaidMethod,
): Promise<void> {
  const payment = await rehearsal.pay(order, { method })
  switch (outcome) {
    case 'success':
      return rehearsal.notify('PAYMENT_SUCCESS_WEBHOOK', payment)
    case 'late_notice':
      return rehearsal.notifyLate('PAYMENT_SUCCESS_WEBHOOK', payment)
    case 'reserialised':
      return rehearsal.notifyReserialised('PAYMENT_SUCCESS_WEBHOOK', payment)
    case 'rotated_secret':
      return rehearsal.notifyWithOldSecret('PAYMENT_SUCCESS_WEBHOOK', payment)
    case 'unnotified':
      return
  }
}

/** More than one notice, or more than one payment, for one order. */
export async function playTwice(
  rehearsal: Rehearsal,
  order: string,
  outcome: 'duplicate' | 'out_of_order' | 'double_payment' | 'refund_pending' | 'refund_failed',
  method: PaidMethod,
): Promise<void> {
  const payment = (await rehearsal.firstPaid(order)) ?? (await rehearsal.pay(order, { method }))
  const succeed = () => rehearsal.notify('PAYMENT_SUCCESS_WEBHOOK', payment)
  switch (outcome) {
    case 'duplicate':
      await Promise.all([succeed(), succeed()])
      return
    case 'out_of_order':
      await succeed()
      return rehearsal.notify('PAYMENT_FAILED_WEBHOOK', payment)
    case 'double_payment':
    case 'refund_pending':
    case 'refund_failed': {
      await succeed()
      const refund = REFUND_FAULTS[outcome]
      const second = await rehearsal.pay(order, { method, ...refund })
      return rehearsal.notify('PAYMENT_SUCCESS_WEBHOOK', second)
    }
  }
}

const REFUND_FAULTS = {
  double_payment: {},
  refund_pending: { refundFault: 'pending' },
  refund_failed: { refundFault: 'failed' },
} as const

const STRANGE_PAISE = paise(100_00n)

/** Somebody pays an order that has our shape but was never opened here, as after a lost database. */
export async function playUnknownOrder(
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
  const payment = await gateway.rehearsal.pay(orderId, { method })
  await gateway.rehearsal.notify('PAYMENT_SUCCESS_WEBHOOK', payment)
}

/** The payer disputes the payment at the bank: it is only begun, won by us, or lost. */
export async function playDispute(
  { gateway: { rehearsal }, clock }: SandboxContext,
  funding: Funding,
  outcome: 'chargeback' | 'chargeback_created' | 'chargeback_won',
): Promise<void> {
  const order = orderIdOf(funding)
  const disputeId = newDisputeId(clock.now())
  const paymentId = funding.gatewayPaymentId
  assert(paymentId !== null, 'what was completed was paid')
  const paid = await rehearsal.payment(paymentId)
  await rehearsal.notifyDispute(disputeId, 'CHARGEBACK_CREATED', paid)
  switch (outcome) {
    case 'chargeback_created':
      return
    case 'chargeback_won':
      return rehearsal.notifyDispute(disputeId, 'CHARGEBACK_MERCHANT_WON', paid)
    case 'chargeback': {
      const lost = await rehearsal.chargeBack(order, paymentId)
      return rehearsal.notifyDispute(disputeId, 'CHARGEBACK_MERCHANT_LOST', lost)
    }
  }
}
