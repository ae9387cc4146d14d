import type { PaymentGateway } from '../../../gateways/payment-gateway.ts'
import type { Logger } from '../../../kernel/logger.ts'
import { type AppliedUpdate, applyFundingUpdate, orderIdOf } from './apply-funding-update.ts'
import type { FundingContext } from './context.ts'
import { type ProviderStatus, SESSION_MS } from './decide.ts'
import type { FailureReason, Funding, FundingKey } from './funding.ts'
import { logFailures } from './log-failures.ts'
import { claimDueFundings, hastenEndedSessions, selectFunding } from './store.ts'

export interface Checked extends AppliedUpdate {
  readonly reported: ProviderStatus['kind']
}

/**
 * Asks the gateway what became of an order and settles the funding by the answer. Notices, polling, expiry and
 * giving up all come here; any number of them at once is safe, because the settling is decided under a lock.
 */
export async function checkFunding(
  context: FundingContext,
  key: FundingKey,
  ending: FailureReason | null = null,
): Promise<Checked | null> {
  const funding = await selectFunding(context.database, context.vault, key)
  if (funding === null) return null
  const reported = await readProviderStatus(context, funding, ending)
  const applied = await context.ledger.submit(applyFundingUpdate(key, reported, ending))
  report(context.logger, applied)
  return { ...applied, reported: reported.kind }
}

/** Ends an unpaid session for good, here and at the gateway. One that was paid meanwhile is completed instead. */
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
  // What ends here must end there. A payment that slipped in between is seen by the second queryOrder.
  await gateway.cancelOrder({ orderId: orderIdOf(funding), gatewayOrderId: first.order.gatewayOrderId })
  return queryOrder(gateway, funding)
}

async function queryOrder(gateway: PaymentGateway, funding: Funding): Promise<ProviderStatus> {
  const { gatewayOrderId } = funding
  const answer = await gateway.getOrder({ orderId: orderIdOf(funding), gatewayOrderId })
  if (answer.kind !== 'value') return { kind: 'no_response' }
  return answer.value === null ? { kind: 'none' } : { kind: 'order', order: answer.value }
}

function report(logger: Logger, { funding, step }: AppliedUpdate): void {
  const facts = { funding_id: orderIdOf(funding), status: funding.status }
  if (step === 'complete' || step === 'reverse') logger.info(facts, `funding: ${step}`)
  if (step === 'fail') logger.info({ ...facts, reason: funding.failureReason }, 'funding: fail')
}

const BATCH = 50
/** Who dies with a check in hand must not delay it so long that a payment is found only after a minute. */
const LEASE_MS = 25_000

/** Asks about the fundings whose check is due: one bounded batch. Returns how many it took. */
export async function checkDueFundings(context: FundingContext, now: Date): Promise<number> {
  const due = await claimDueFundings(context.database, now, new Date(now.getTime() + LEASE_MS), BATCH)
  const results = await Promise.allSettled(due.map(key => checkFunding(context, key)))
  logFailures(context.logger, results, 'a check of a funding failed; it is tried again')
  return due.length
}

/** Ends the open sessions of agents that were deactivated: one bounded batch. Returns how many it made due. */
export function endSessionsOfEndedAgents({ database }: FundingContext, now: Date): Promise<number> {
  // Who ended longer ago than a session lasts has none left that is open.
  return hastenEndedSessions(database, now, new Date(now.getTime() - SESSION_MS), BATCH)
}
