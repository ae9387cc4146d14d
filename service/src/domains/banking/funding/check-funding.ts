import type { PaymentGateway } from '../../../gateways/payment-gateway.ts'
import type { Logger } from '../../../kernel/logger.ts'
import { dueWork } from '../../../operations/due-work.ts'
import { type AppliedUpdate, applyFundingUpdate, orderIdOf } from './apply-funding-update.ts'
import type { FundingContext } from './context.ts'
import { type ProviderStatus, SESSION_MS } from './decide.ts'
import type { FailureReason, Funding, FundingKey } from './funding.ts'
import { dueFundings, makeEndedSessionsDue, selectFunding } from './store.ts'

export interface Checked extends AppliedUpdate {
  readonly reported: ProviderStatus['kind']
}

/**
 * Queries the gateway for an order and applies the reported status to the funding. Webhooks, polling, expiry and
 * cancellation all call this. Any number of concurrent calls is safe, because the transition is decided under a lock.
 */
export async function checkFunding(
  context: FundingContext,
  key: FundingKey,
  ending: FailureReason | null = null,
): Promise<Checked | null> {
  const funding = await selectFunding(context.database, context.vault, key)
  return funding === null ? null : checkRow(context, funding, ending)
}

async function checkRow(
  context: FundingContext,
  funding: Funding,
  ending: FailureReason | null,
): Promise<Checked> {
  const reported = await readProviderStatus(context, funding, ending)
  const applied = await context.ledger.submit(applyFundingUpdate(funding, reported, ending))
  report(context.logger, applied)
  return { ...applied, reported: reported.kind }
}

/** Ends an unpaid session for good, here and at the gateway. One that was paid in the meantime is completed instead. */
export async function endFunding(
  context: FundingContext,
  key: FundingKey,
  reason: FailureReason,
): Promise<Checked | null> {
  return checkFunding(context, key, reason)
}

async function readProviderStatus(
  { gateways, clock }: FundingContext,
  funding: Funding,
  ending: FailureReason | null,
): Promise<ProviderStatus> {
  const gateway = gateways.named(funding.gateway)
  if (gateway === undefined) return { kind: 'no_response' }
  const first = await queryOrder(gateway, funding)
  const isOver = ending !== null || funding.status !== 'pending' || clock.now() >= funding.expiresAt
  if (!isOver || first.kind !== 'order' || first.order.status !== 'active') return first
  // A session that ends here must end at the gateway too. The second query finds a payment that arrived in between.
  await gateway.cancelOrder({ orderId: orderIdOf(funding), gatewayOrderId: first.order.gatewayOrderId })
  return queryOrder(gateway, funding)
}

async function queryOrder(gateway: PaymentGateway, funding: Funding): Promise<ProviderStatus> {
  const { gatewayOrderId } = funding
  const response = await gateway.getOrder({ orderId: orderIdOf(funding), gatewayOrderId })
  if (response.kind !== 'value') return { kind: 'no_response' }
  return response.value === null ? { kind: 'none' } : { kind: 'order', order: response.value }
}

function report(logger: Logger, { funding, step }: AppliedUpdate): void {
  const facts = { funding_id: orderIdOf(funding), status: funding.status }
  if (step === 'complete' || step === 'reverse') logger.info(facts, `funding: ${step}`)
  if (step === 'fail') logger.info({ ...facts, reason: funding.failureReason }, 'funding: fail')
}

/** Queries the gateway about the fundings that are due. */
export const fundingChecks = dueWork<FundingContext, Funding>({
  name: 'funding checks',
  rows: dueFundings,
  work: (context, funding) => checkRow(context, funding, null),
  failure: 'funding check failed; it will be retried',
  ids: funding => ({ funding_id: orderIdOf(funding) }),
})

const SESSIONS_AT_ONCE = 50

/** Ends the open sessions of agents that were deactivated: one bounded batch. Returns the number made due. */
export function endSessionsOfEndedAgents({ database }: FundingContext, now: Date): Promise<number> {
  // An agent that was deactivated longer ago than a session lasts has no open session.
  return makeEndedSessionsDue(database, now, new Date(now.getTime() - SESSION_MS), SESSIONS_AT_ONCE)
}
