import type { FundingMethod, PaidMethod } from '@batua/contract'
import { AppError } from '../../kernel/app-error.ts'
import { paise } from '../../kernel/money.ts'
import {
  checkFunding,
  currentSession,
  type Funding,
  findFundingBySession,
  gatewayRefunds,
  openSession,
  orderIdOf,
  wireStatus,
} from '../banking/index.ts'
import type { SandboxContext } from './context.ts'
import { POSSIBLE, type SimulatedOutcome } from './outcomes.ts'
import type { Simulation } from './providers/simulation.ts'
import {
  simulateDispute,
  simulatePayment,
  simulateRepeats,
  simulateUnknownOrder,
} from './simulate-webhooks.ts'

/** Simulates the payer, the bank and the network, and resolves when everything has taken effect. */
export async function simulateOutcome(
  context: SandboxContext,
  session: string,
  outcome: SimulatedOutcome,
  method?: PaidMethod,
): Promise<Funding> {
  const funding = await currentSession(context.funding, await requireSession(context, session))
  await requirePossible(context, funding, outcome)
  await openSession(context.funding, funding)
  await simulate(context, funding, outcome, method ?? defaultMethod(funding.method))
  const refunds = gatewayRefunds(context.funding)
  while ((await refunds.run(context.clock.now())) > 0);
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
  outcome: SimulatedOutcome,
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

async function simulate(
  context: SandboxContext,
  funding: Funding,
  outcome: SimulatedOutcome,
  method: PaidMethod,
): Promise<void> {
  const { simulation } = context.gateway
  const order = orderIdOf(funding)
  switch (outcome) {
    case 'success':
    case 'unnotified':
    case 'late_notice':
    case 'reserialised':
    case 'rotated_secret':
      return simulatePayment(simulation, order, outcome, method)
    case 'wrong_amount':
    case 'wrong_currency':
      return simulateWrongMoney(simulation, funding, outcome, method)
    case 'duplicate':
    case 'out_of_order':
    case 'double_payment':
    case 'refund_pending':
    case 'refund_failed':
      return simulateRepeats(simulation, order, outcome, method)
    case 'failure':
    case 'decline':
    case 'drop':
    case 'pending':
    case 'flagged':
      return simulateAttempt(simulation, order, outcome, method)
    case 'expire':
      return expire(context, funding)
    case 'late':
      await expire(context, funding)
      return simulatePayment(simulation, order, 'success', method)
    case 'forged':
      return simulation.forge(order)
    case 'unknown_type':
      return simulation.notifyUnknownType(order)
    case 'unknown_order':
      return simulateUnknownOrder(context, funding, method)
    case 'chargeback':
    case 'chargeback_created':
    case 'chargeback_won':
      return simulateDispute(context, funding, outcome)
  }
}

async function simulateWrongMoney(
  simulation: Simulation,
  funding: Funding,
  outcome: 'wrong_amount' | 'wrong_currency',
  method: PaidMethod,
): Promise<void> {
  // Half of the requested amount. The amount is at least one rupee, so half is never zero.
  const wrong =
    outcome === 'wrong_amount' ? { amountPaise: paise(funding.amountPaise / 2n) } : { currency: 'USD' }
  const payment = await simulation.pay(orderIdOf(funding), { method, ...wrong })
  await simulation.notify('PAYMENT_SUCCESS_WEBHOOK', payment)
}

async function simulateAttempt(
  simulation: Simulation,
  order: string,
  outcome: 'failure' | 'decline' | 'drop' | 'pending' | 'flagged',
  method: PaidMethod,
): Promise<void> {
  switch (outcome) {
    case 'pending':
      await simulation.attempt(order, method, 'pending')
      return
    case 'flagged':
      await simulation.flag(order, method)
      return
    case 'drop': {
      const dropped = await simulation.attempt(order, method, 'dropped')
      return simulation.notify('PAYMENT_USER_DROPPED_WEBHOOK', dropped)
    }
    case 'failure':
    case 'decline': {
      const failed = await simulation.attempt(order, method, 'failed')
      if (outcome === 'failure') await simulation.close(order, 'terminated')
      return simulation.notify('PAYMENT_FAILED_WEBHOOK', failed)
    }
  }
}

/** No gateway sends a webhook for an expired order: the service finds it by polling, as the checks do. */
async function expire({ gateway, funding: services }: SandboxContext, funding: Funding): Promise<void> {
  await gateway.simulation.close(orderIdOf(funding), 'expired')
  await checkFunding(services, funding)
}
