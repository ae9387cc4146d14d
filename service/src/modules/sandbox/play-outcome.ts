import type { FundingMethod, PaidMethod, SandboxOutcome } from '@batua/contract'
import type { Rehearsal } from '../../gateways/sandbox/rehearsal.ts'
import { AppError } from '../../kernel/app-error.ts'
import { paise } from '../../kernel/money.ts'
import {
  checkFunding,
  type Funding,
  type FundingState,
  findFundingBySession,
  openSession,
  orderIdOf,
  sendDueRefunds,
  settledSession,
  wireStatus,
} from '../funding/index.ts'
import type { SandboxContext } from './context.ts'

/** `decline` is the page's own: an attempt that fails and leaves the session open for another. */
export type PlayedOutcome = SandboxOutcome | 'decline'

const PAYING = ['success', 'duplicate', 'late', 'out_of_order', 'unnotified', 'double_payment'] as const
const AFTER_PAYMENT = ['forged', 'duplicate', 'out_of_order', 'double_payment'] as const

/** What can still happen to a session in each state. Money can come to one that has failed: it goes back. */
const POSSIBLE: Record<FundingState, readonly PlayedOutcome[]> = {
  pending: [
    ...PAYING,
    'failure',
    'decline',
    'expire',
    'drop',
    'pending',
    'forged',
    'wrong_amount',
    'wrong_currency',
  ],
  failed: [...PAYING, 'forged', 'wrong_amount', 'wrong_currency'],
  completed: [...AFTER_PAYMENT, 'chargeback'],
  reversed: AFTER_PAYMENT,
}

/** Plays the human, the bank and the network, and resolves when everything has taken effect. */
export async function playOutcome(
  context: SandboxContext,
  session: string,
  outcome: PlayedOutcome,
  method?: PaidMethod,
): Promise<Funding> {
  const funding = await settledSession(context.funding, await requireSession(context, session))
  await requirePossible(context, funding, outcome)
  await openSession(context.funding, funding)
  await play(context, funding, outcome, method ?? defaultMethod(funding.method))
  while ((await sendDueRefunds(context.funding, context.clock.now())) > 0);
  return requireSession(context, session)
}

async function requireSession(context: SandboxContext, session: string): Promise<Funding> {
  const funding = await findFundingBySession(context.funding, session)
  if (funding !== null) return funding
  throw new AppError('not_found', 'There is no payment session with this id')
}

async function requirePossible(
  { gateway }: SandboxContext,
  funding: Funding,
  outcome: PlayedOutcome,
): Promise<void> {
  const { status, gatewayOrderId } = funding
  if (!POSSIBLE[status].includes(outcome)) {
    const message = `${outcome} cannot happen to a session that is ${status}`
    throw new AppError('conflict', message, { details: { status: wireStatus(status) } })
  }
  const order = await gateway.getOrder({ orderId: orderIdOf(funding), gatewayOrderId })
  if (order.kind === 'value' && order.value !== null) return
  throw new AppError('conflict', 'The gateway never opened an order for this session; make a new one')
}

function defaultMethod(method: FundingMethod): PaidMethod {
  return method === 'link' ? 'upi' : method
}

async function play(
  context: SandboxContext,
  funding: Funding,
  outcome: PlayedOutcome,
  method: PaidMethod,
): Promise<void> {
  const { rehearsal } = context.gateway
  const order = orderIdOf(funding)
  switch (outcome) {
    case 'success':
    case 'unnotified':
    case 'wrong_amount':
    case 'wrong_currency':
      return playPayment(rehearsal, funding, outcome, method)
    case 'duplicate':
    case 'out_of_order':
    case 'double_payment':
      return playNotices(rehearsal, order, outcome, method)
    case 'failure':
    case 'decline':
    case 'drop':
    case 'pending':
      return playAttempt(rehearsal, order, outcome, method)
    case 'expire':
      return expire(context, funding)
    case 'late':
      await expire(context, funding)
      return playPayment(rehearsal, funding, 'success', method)
    case 'forged':
      return rehearsal.forge(order)
    case 'chargeback':
      return chargeBack(rehearsal, funding)
  }
}

async function playPayment(
  rehearsal: Rehearsal,
  funding: Funding,
  outcome: 'success' | 'unnotified' | 'wrong_amount' | 'wrong_currency',
  method: PaidMethod,
): Promise<void> {
  // Half of what was asked for: at least one rupee is, so it is never nothing.
  const wrong = outcome === 'wrong_amount' ? { amountPaise: paise(funding.amountPaise / 2n) } : {}
  const foreign = outcome === 'wrong_currency' ? { currency: 'USD' } : {}
  const payment = await rehearsal.pay(orderIdOf(funding), { method, ...wrong, ...foreign })
  if (outcome !== 'unnotified') await rehearsal.notify('PAYMENT_SUCCESS_WEBHOOK', payment)
}

async function playNotices(
  rehearsal: Rehearsal,
  order: string,
  outcome: 'duplicate' | 'out_of_order' | 'double_payment',
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
    case 'double_payment': {
      await succeed()
      const second = await rehearsal.pay(order, { method })
      return rehearsal.notify('PAYMENT_SUCCESS_WEBHOOK', second)
    }
  }
}

async function playAttempt(
  rehearsal: Rehearsal,
  order: string,
  outcome: 'failure' | 'decline' | 'drop' | 'pending',
  method: PaidMethod,
): Promise<void> {
  switch (outcome) {
    case 'pending':
      await rehearsal.attempt(order, method, 'pending')
      return
    case 'drop': {
      const dropped = await rehearsal.attempt(order, method, 'dropped')
      return rehearsal.notify('PAYMENT_USER_DROPPED_WEBHOOK', dropped)
    }
    case 'failure':
    case 'decline': {
      const failed = await rehearsal.attempt(order, method, 'failed')
      if (outcome === 'failure') await rehearsal.close(order, 'terminated')
      return rehearsal.notify('PAYMENT_FAILED_WEBHOOK', failed)
    }
  }
}

/** No gateway tells that an order's time is over: it is found by asking, as the checks do. */
async function expire({ gateway, funding: services }: SandboxContext, funding: Funding): Promise<void> {
  await gateway.rehearsal.close(orderIdOf(funding), 'expired')
  await checkFunding(services, funding)
}

async function chargeBack(rehearsal: Rehearsal, funding: Funding): Promise<void> {
  const payment = await rehearsal.chargeBack(orderIdOf(funding), funding.gatewayPaymentId ?? '')
  await rehearsal.notify('DISPUTE_CLOSED', payment)
}
