import { formatId } from '../../../kernel/ids.ts'
import type { BankPayment, BankRecords } from './bank-records.ts'
import type { OurFunding, OurRecords } from './our-records.ts'

/** How long a session waits for a gateway that does not respond. */
const NO_RESPONSE_MS = 60 * 60_000
/** These end a session even if it was paid: the money is refunded. */
const ENDED_BY_PEOPLE = ['cancelled', 'gateway_refused', 'agent_deactivated']

/** Whether the gateway still has the money of a payment. */
export function isKept({ chargedBack, refundedPaise }: BankPayment): boolean {
  return !chargedBack && refundedPaise === 0n
}

/** The gateway's fee by the interface: 2.5 percent for three methods, rounded half up. */
export function feeOf({ amountPaise, method }: BankPayment): bigint {
  return ['upi', 'card', 'netbanking'].includes(method) ? (amountPaise * 250n + 5_000n) / 10_000n : 0n
}

/** Every payment that came in is either credited to a wallet, or was refunded in full and once. */
export function checkFundings(bank: BankRecords, ours: OurRecords): string[] {
  const payments = Map.groupBy(bank.payments, ({ orderId }) => orderId)
  const orders = new Set(ours.fundings.map(({ id }) => formatId('fund', id)))
  const strange = bank.payments.filter(payment => !orders.has(payment.orderId) && isKept(payment))
  return [
    ...strange.map(({ orderId }) => `${orderId}: paid, never opened here and not sent back`),
    ...bank.payments.flatMap(checkRefund),
    ...ours.refunds.flatMap(({ gatewayPaymentId, status }) =>
      status === 'done' ? [] : [`the refund of payment ${gatewayPaymentId} is ${status}`],
    ),
    ...ours.fundings.flatMap(funding => {
      const orderId = formatId('fund', funding.id)
      return checkFunding(funding, payments.get(orderId) ?? []).map(wrong => `${orderId}: ${wrong}`)
    }),
  ]
}

function checkRefund({ id, refundedPaise, amountPaise }: BankPayment): string[] {
  return refundedPaise === 0n || refundedPaise === amountPaise
    ? []
    : [`payment ${id} of ${amountPaise} was sent back as ${refundedPaise}`]
}

function checkFunding(funding: OurFunding, payments: readonly BankPayment[]): string[] {
  const kept = payments.filter(isKept)
  const own = payments.find(({ id }) => id === funding.gatewayPaymentId)
  switch (funding.status) {
    case 'pending':
      return ['still pending']
    case 'failed':
      return checkFailed(funding, payments, kept)
    case 'completed':
      if (own === undefined) return ['completed by a payment that is not there']
      return [
        ...(kept.length === 1 && kept[0] === own
          ? []
          : [`completed, and the gateway has ${kept.length} kept`]),
        ...checkOwn(funding, own),
      ]
    case 'reversed':
      if (own === undefined) return ['reversed without a payment']
      return [
        ...(own.chargedBack ? [] : ['reversed, but the bank took nothing back']),
        ...(kept.length === 0 ? [] : ['reversed, and the gateway still has money of it']),
        ...checkOwn(funding, own),
      ]
  }
}

function checkOwn({ amountPaise, feePaise, expiresAt }: OurFunding, own: BankPayment): string[] {
  return [
    ...(own.paidAt <= expiresAt ? [] : ['credited, but paid too late']),
    ...(own.amountPaise === amountPaise && own.currency === 'INR' ? [] : ['credited for other money']),
    ...(own.refundedPaise === 0n ? [] : ['credited and sent back']),
    ...(feePaise === feeOf(own) ? [] : [`a fee of ${feePaise} instead of ${feeOf(own)}`]),
  ]
}

function checkFailed(
  funding: OurFunding,
  payments: readonly BankPayment[],
  kept: readonly BankPayment[],
): string[] {
  const { closedAt, expiresAt, failureReason, amountPaise } = funding
  if (kept.length > 0) return [`failed, and the gateway kept ${kept.length} payments`]
  if (closedAt === null) return ['failed, nobody knows when']
  const wasWaitedFor = closedAt.getTime() >= expiresAt.getTime() + NO_RESPONSE_MS
  if (wasWaitedFor || ENDED_BY_PEOPLE.includes(failureReason ?? '')) return []
  const inTime = payments.find(
    ({ paidAt, amountPaise: paid, currency, chargedBack }) =>
      paidAt <= expiresAt && paidAt < closedAt && paid === amountPaise && currency === 'INR' && !chargedBack,
  )
  return inTime === undefined ? [] : [`failed (${failureReason}), but it was paid in time`]
}
