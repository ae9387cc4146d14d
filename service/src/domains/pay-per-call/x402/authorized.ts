import type { AgentCaller } from '../../../http/caller.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import {
  captureCommand,
  endCommand,
  findByToken,
  type ReceivedAuthorization,
  selectNewestCapture,
} from '../../payments/index.ts'
import { isSameUse } from '../decide-verification.ts'
import { selectUse } from '../nonce-store.ts'
import { useUp } from '../verify-payment.ts'
import type { X402Payment } from './request.ts'
import {
  isOwnRefusal,
  notSettled,
  notValid,
  settled,
  type X402Context,
  type X402Refusal,
  type X402Settlement,
  type X402Verification,
} from './responses.ts'

/** A payment of x402 by money that was set aside, with the token of its authorization. */
export interface Authorized {
  readonly payment: X402Payment
  readonly token: string
}

/**
 * Whether the money is set aside, and the nonce is unused. The nonce is used up now: the handler runs before the
 * settlement, so one authorization that is shown many times at once must be valid once. The same attempt is valid again.
 */
export async function verifyAuthorized(
  context: X402Context,
  caller: AgentCaller,
  { payment, token }: Authorized,
  now: Date,
): Promise<X402Verification> {
  const received = await findByToken(context, token, now)
  const reserved = await reserve(context, caller, { payment, received }, now)
  if (typeof reserved === 'string') return notValid(reserved)
  if (!reserved.isAgain) return { isValid: true, payer: payment.payer }
  // It was captured for this attempt, or can still be.
  const { status } = reserved.received
  const isGivenBack = status === 'voided' || status === 'expired'
  return isGivenBack ? notValid('transaction_not_completed') : { isValid: true, payer: payment.payer }
}

/**
 * Captures what the handler says, at most the price, and returns the rest; of nothing nothing, and no fee. To cancel
 * returns everything. Each is done for one attempt, and the same attempt gets the same response.
 */
export async function settleAuthorized(
  context: X402Context,
  caller: AgentCaller,
  { payment, token }: Authorized,
  now: Date,
): Promise<X402Settlement> {
  const received = await findByToken(context, token, now)
  const reserved = await reserve(context, caller, { payment, received, isSettlement: true }, now)
  if (typeof reserved === 'string') return notSettled(context, reserved)
  const { authorization } = reserved.received
  const isVoid = payment.isCancel || payment.amountPaise === 0n
  const { keyHash } = caller
  const wanted = { kind: 'total', paise: payment.amountPaise } as const
  try {
    if (isVoid)
      await context.ledger.submit(endCommand(context.agents, authorization, { keyHash, as: 'voided' }))
    else
      await context.ledger.submit(
        captureCommand(context.agents, { seen: authorization, wanted, isFinal: true, keyHash }),
      )
  } catch (error) {
    if (!isOwnRefusal(error)) throw error
    // It may have ended by an earlier request of this attempt.
    const earlier = await outcome(context, { payment, token }, now)
    return earlier ?? notSettled(context, isVoid ? error.code : reasonOf(error))
  }
  const made = await outcome(context, { payment, token }, now)
  if (made === null)
    throw new AppError('service_unavailable', 'The settlement could not be read; send it again')
  return made
}

/** An authorization that has ended is in the words of x402 no completed payment. */
function reasonOf({ code }: AppError): string {
  return code === 'conflict' ? 'transaction_not_completed' : code
}

/** What an attempt has settled, from the state of its authorization; null: nothing yet, or not this. */
async function outcome(
  context: X402Context,
  { payment, token }: Authorized,
  now: Date,
): Promise<X402Settlement | null> {
  const received = await findByToken(context, token, now)
  if (received === null) return null
  const { authorization, status } = received
  const { capturedPaise, id } = authorization
  if (payment.isCancel) {
    const isGivenBack = status === 'voided' || status === 'expired'
    return isGivenBack ? settled(context, payment, formatId('ath', id), '0') : null
  }
  if (capturedPaise > 0n) {
    const capture = await selectNewestCapture(context.database, id)
    return capture === null
      ? null
      : settled(context, payment, formatId('pay', capture), capturedPaise.toString())
  }
  // x402 names no transaction where nothing is captured.
  const isNothing = status === 'voided' && payment.scheme === 'upto'
  return isNothing ? settled(context, payment, '', '0') : null
}

/** An authorization whose nonce is used up for this attempt. */
interface Reserved {
  readonly received: ReceivedAuthorization
  /** Whether it was so before. */
  readonly isAgain: boolean
}

interface Reservation {
  readonly payment: X402Payment
  readonly received: ReceivedAuthorization | null
  /** Whether sellers that send no attempt may mean the verification before. */
  readonly isSettlement?: boolean
}

async function reserve(
  context: X402Context,
  caller: AgentCaller,
  { payment, received, isSettlement = false }: Reservation,
  now: Date,
): Promise<Reserved | X402Refusal> {
  if (received === null) return 'transaction_not_found'
  const payee = await context.findAgent(payment.payTo)
  const payer = await context.findAgent(payment.payer)
  const { authorization } = received
  const facts = { payment, received, callerId: caller.agentId, payeeId: payee, payerId: payer }
  const unfit = decideAuthorized(facts)
  if (unfit !== null) return unfit
  const isOpen = received.status === 'open'
  // The handler would run for money that cannot be captured now.
  if (!isSettlement && isOpen && !received.mayCapture) return 'policy_denied'
  const use = { nonce: payment.nonce, consumeId: payment.attempt }
  const used = { id: authorization.id, payer: authorization.agentId }
  if (isOpen && (await useUp(context, { payment: used, caller, now }, use)))
    return { received, isAgain: false }
  const earlier = await selectUse(context.database, caller.agentId, payment.nonce)
  const isAnonymous = isSettlement && payment.attempt === null && earlier?.consumeId === null
  const isOwn =
    isSameUse(earlier, authorization.id, payment.attempt) ||
    (isAnonymous && earlier.paymentId === authorization.id)
  if (isOwn) return { received, isAgain: true }
  return isOpen || earlier !== null ? 'nonce_already_used' : 'transaction_not_completed'
}

interface AuthorizedFacts {
  readonly payment: X402Payment
  readonly received: ReceivedAuthorization
  readonly callerId: Uuid
  /** The agents that the request names; null: there is none. */
  readonly payeeId: Uuid | null
  readonly payerId: Uuid | null
}

/** Why an authorization is not what the seller expects, in the order of a verification; its status apart. */
function decideAuthorized(facts: AuthorizedFacts): X402Refusal | null {
  const { payment, received, callerId, payeeId, payerId } = facts
  const { authorization } = received
  if (authorization.payeeId !== callerId) return 'not_payee'
  if (payeeId !== callerId) return 'payee_mismatch'
  if (payerId !== authorization.agentId) return 'payer_mismatch'
  if (authorization.amountPaise < payment.pricePaise) return 'insufficient_amount'
  if (authorization.reference !== payment.nonce) return 'nonce_mismatch'
  // It is captured by vouchers only.
  return authorization.voucherKey === null ? null : 'invalid_payload'
}
