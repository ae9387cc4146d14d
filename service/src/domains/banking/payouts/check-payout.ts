import { requireGenuine } from '../../../db/row-mac.ts'
import type { GatewayResult } from '../../../gateways/gateway-result.ts'
import type { ProviderPayout } from '../../../gateways/payout-provider.ts'
import type { Logger } from '../../../kernel/logger.ts'
import { dueWork } from '../../../operations/due-work.ts'
import { decryptPersonal, OWNER_ROWS } from '../../parties/index.ts'
import { type AppliedUpdate, applyPayoutUpdate } from './apply-payout-update.ts'
import type { PayoutsContext } from './context.ts'
import { maySendAgain } from './decide.ts'
import { type Payout, type ProviderStatus, transferIdOf } from './payout.ts'
import { duePayouts, markSent, recordBeneficiary, selectHolder } from './store.ts'

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

/** What the account holder reads on a statement: letters, digits and spaces. */
const REMARKS = { withdraw: 'Wallet withdrawal', settlement: 'Wallet settlement' } as const

const NO_RESPONSE: ProviderStatus = { kind: 'no_response' }

/** The payout as the provider knows it now. */
async function queryPayout({ payoutProvider }: PayoutsContext, payout: Payout): Promise<ProviderStatus> {
  if (payoutProvider.name !== payout.provider) return NO_RESPONSE
  const response = await payoutProvider.get(transferIdOf(payout))
  if (response.kind !== 'value') return NO_RESPONSE
  return response.value === null ? { kind: 'none' } : { kind: 'payout', payout: response.value }
}

/**
 * Sends a payout that the caller has claimed, and that the provider does not know. The sending is recorded before the
 * call, and only the worker with the latest claim may send: a worker whose claim was taken over sends nothing.
 */
async function sendPayout(context: PayoutsContext, payout: Payout): Promise<ProviderStatus> {
  const { database, clock, payoutProvider } = context
  if (payoutProvider.name !== payout.provider) return NO_RESPONSE
  const known = await beneficiaryOf(context, payout)
  if (known.kind === 'rejected') return { kind: 'refused', code: known.code, attempt: payout.attempts }
  if (known.kind !== 'value') return NO_RESPONSE
  if (!(await markSent(database, payout, clock.now()))) return NO_RESPONSE
  const response = await payoutProvider.send({
    transferId: transferIdOf(payout),
    beneficiaryId: known.value.beneficiaryId,
    amountPaise: payout.amountPaise,
    remarks: REMARKS[payout.kind],
  })
  return sightingOf(context, payout, response)
}

async function sightingOf(
  context: PayoutsContext,
  payout: Payout,
  response: GatewayResult<ProviderPayout>,
): Promise<ProviderStatus> {
  switch (response.kind) {
    case 'value':
      return { kind: 'payout', payout: response.value }
    case 'rejected': {
      // The id may be refused because an earlier request with it was accepted: the money is credited back only if it
      // was not.
      const seen = await queryPayout(context, payout)
      return seen.kind === 'none' ? { kind: 'refused', code: response.code, attempt: payout.attempts } : seen
    }
    case 'retryable':
    case 'unknown':
      return NO_RESPONSE
  }
}

type Known = GatewayResult<{ readonly beneficiaryId: string }>

async function beneficiaryOf(context: PayoutsContext, payout: Payout): Promise<Known> {
  const { database, vault, payoutProvider } = context
  if (payout.beneficiaryId !== null) return { kind: 'value', value: { beneficiaryId: payout.beneficiaryId } }
  const holder = await selectHolder(database, payout.ownerId)
  if (holder === null) throw new Error('assertion failed: a payout has an owner')
  requireGenuine(vault, OWNER_ROWS, payout.ownerId, holder)
  const bankAccount = decryptPersonal(vault, payout.ownerId, 'bank_account', payout.bankAccount)
  const response = await payoutProvider.ensureBeneficiary({
    beneficiaryId: beneficiaryIdOf(context, payout, bankAccount),
    name: holder.name,
    bankAccount,
    ifsc: payout.bankIfsc,
    phone: decryptPersonal(vault, payout.ownerId, 'phone', holder.phone),
  })
  if (response.kind === 'value')
    await recordBeneficiary(database, vault, payout, response.value.beneficiaryId)
  return response
}

const DIGEST_LENGTH = 40

/**
 * One for each bank account of an owner, the same on every node and for ever. The account cannot be derived from it.
 */
function beneficiaryIdOf(
  { vault }: Pick<PayoutsContext, 'vault'>,
  { ownerId, bankIfsc }: Payout,
  bankAccount: string,
): string {
  const digest = vault.blindIndex(`${ownerId} ${bankAccount} ${bankIfsc}`, 'payouts.beneficiary')
  return `ben_${digest.toString('hex').slice(0, DIGEST_LENGTH)}`
}
