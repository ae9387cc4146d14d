import type { Logger } from '../../../kernel/logger.ts'
import { dueWork } from '../../../operations/due-work.ts'
import { type AppliedUpdate, applyPayoutUpdate } from './apply-payout-update.ts'
import type { PayoutsContext } from './context.ts'
import { maySendAgain } from './decide.ts'
import { type Payout, type ProviderStatus, transferIdOf } from './payout.ts'
import { queryPayout, sendPayout } from './send-payout.ts'
import { duePayouts } from './store.ts'

export interface Checked extends AppliedUpdate {
  readonly reported: ProviderStatus['kind']
}

/**
 * Queries the provider for a payout and applies the reported status to it. It sends nothing. Any number of concurrent
 * calls is safe, because the transition is decided under a lock.
 */
export async function checkPayout(context: PayoutsContext, payout: Payout): Promise<Checked> {
  return applyReported(context, payout, await queryPayout(context, payout))
}

/** Sends a due payout the first time, and queries it every later time. */
export const payoutAttempts = dueWork<PayoutsContext, Payout>({
  name: 'payouts',
  rows: duePayouts,
  work: async (context, payout) => applyReported(context, payout, await readProviderStatus(context, payout)),
  failure: 'payout attempt failed; it will be retried',
  ids: payout => ({ transfer_id: transferIdOf(payout) }),
})

async function readProviderStatus(context: PayoutsContext, payout: Payout): Promise<ProviderStatus> {
  if (payout.status === 'pending' && payout.attempts === 1) return sendPayout(context, payout)
  const seen = await queryPayout(context, payout)
  const unknown = payout.status === 'pending' && seen.kind === 'none'
  return unknown && maySendAgain(payout, context.clock.now()) ? sendPayout(context, payout) : seen
}

async function applyReported(
  context: PayoutsContext,
  payout: Payout,
  reported: ProviderStatus,
): Promise<Checked> {
  const applied = await context.ledger.submit(applyPayoutUpdate(payout, reported))
  const sure = applied.contradiction === null ? applied : await recheck(context, applied)
  report(context.logger, sure, reported)
  return { ...sure, reported: reported.kind }
}

/**
 * The reported status may be older than what other workers have written since. Only a contradiction that persists
 * counts.
 */
async function recheck(context: PayoutsContext, first: AppliedUpdate): Promise<AppliedUpdate> {
  const reported = await queryPayout(context, first.payout)
  return reported.kind === 'no_response'
    ? first
    : context.ledger.submit(applyPayoutUpdate(first.payout, reported))
}

const MANY_ATTEMPTS = 5

function report(
  logger: Logger,
  { payout, step, contradiction }: AppliedUpdate,
  reported: ProviderStatus,
): void {
  const { status, attempts, reason } = payout
  const facts = { transfer_id: transferIdOf(payout), status, attempts }
  if (contradiction !== null)
    logger.error(
      { ...facts, contradiction },
      'payout: the provider contradicts the ledger; an operator must check',
    )
  if (step === 'complete') logger.info(facts, 'payout: complete')
  if (step === 'fail' || step === 'reverse') logger.warn({ ...facts, reason }, `payout: ${step}`)
  if (status === 'pending' && reported.kind === 'no_response' && attempts >= MANY_ATTEMPTS) {
    logger.warn(facts, 'payout: no response from the provider; it will be queried again')
  }
}
