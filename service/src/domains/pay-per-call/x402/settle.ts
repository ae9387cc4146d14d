import type { VerifyFailure } from '@batua/contract'
import type { AgentCaller } from '../../../http/caller.ts'
import type { AppError } from '../../../kernel/app-error.ts'
import { rupees } from '../../../kernel/money.ts'
import { refundReceived } from '../../payments/index.ts'
import { selectUse } from '../nonce-store.ts'
import { verifyPayment } from '../verify-payment.ts'
import { settleAuthorized, verifyAuthorized } from './authorized.ts'
import type { X402Payment } from './request.ts'
import {
  isOwnRefusal,
  notSettled,
  notValid,
  settled,
  type X402Context,
  type X402Settlement,
  type X402Verification,
} from './responses.ts'

/** Whether a payment was made, or money set aside for it, and its nonce is unused. */
export function verifyX402(
  context: X402Context,
  caller: AgentCaller,
  payment: X402Payment,
  now: Date,
): Promise<X402Verification> {
  const { means } = payment
  if (means.kind === 'authorization')
    return verifyAuthorized(context, caller, { payment, token: means.token }, now)
  return verifyPaid(context, caller, { payment, paymentId: means.paymentId }, now)
}

/** Takes a payment for one attempt, or undoes that. */
export function settleX402(
  context: X402Context,
  caller: AgentCaller,
  payment: X402Payment,
  now: Date,
): Promise<X402Settlement> {
  const { means } = payment
  if (means.kind === 'authorization')
    return settleAuthorized(context, caller, { payment, token: means.token }, now)
  return settlePaid(context, caller, { payment, paymentId: means.paymentId }, now)
}

/** A payment of x402 that was made before the request. */
interface Paid {
  readonly payment: X402Payment
  readonly paymentId: string
}

async function verifyPaid(
  context: X402Context,
  caller: AgentCaller,
  paid: Paid,
  now: Date,
): Promise<X402Verification> {
  const { payment } = paid
  const failure = await check(context, caller, paid, now, {})
  if (failure !== null) return notValid(failure)
  const used = await selectUse(context.database, caller.agentId, payment.nonce)
  const isOwnUse = used !== null && used.consumeId === payment.attempt && payment.attempt !== null
  return used === null || isOwnUse ? { isValid: true, payer: payment.payer } : notValid('nonce_already_used')
}

/**
 * Marks the nonce of a payment as used. To cancel is to settle and to refund: so a settlement of the same attempt that
 * arrives later finds its nonce used, and one of another attempt is never undone.
 */
async function settlePaid(
  context: X402Context,
  caller: AgentCaller,
  paid: Paid,
  now: Date,
): Promise<X402Settlement> {
  const { payment, paymentId } = paid
  const consumption = payment.attempt === null ? {} : { consume_id: payment.attempt }
  const failure = await check(context, caller, paid, now, { consume: true, ...consumption })
  if (failure !== null) return notSettled(context, failure)
  if (payment.isCancel) return refund(context, caller, paid)
  return settled(context, payment, paymentId, payment.amountPaise.toString())
}

async function check(
  context: X402Context,
  caller: AgentCaller,
  { payment, paymentId }: Paid,
  now: Date,
  consumption: { readonly consume?: boolean; readonly consume_id?: string },
): Promise<VerifyFailure | null> {
  const { payer, payTo, amountPaise, nonce } = payment
  const expected = {
    ...{ expected_payee: payTo, expected_payer: payer, expected_amount: rupees(amountPaise), nonce },
    ...consumption,
  }
  const { verified, reason } = await verifyPayment(context, caller, paymentId, expected, now)
  return verified ? null : (reason ?? 'transaction_not_found')
}

/** Refunds what is left of a settled payment, once. */
async function refund(
  context: X402Context,
  caller: AgentCaller,
  { payment, paymentId }: Paid,
): Promise<X402Settlement> {
  const idempotencyKey = `x402-${payment.nonce}`
  try {
    const order = { amountPaise: null, idempotencyKey }
    const { refund_id, amount } = await refundReceived(context, caller, paymentId, order)
    return settled(context, payment, refund_id, Math.round(amount * 100).toString())
  } catch (error) {
    if (!isOwnRefusal(error)) throw error
    return isRefunded(error) ? settled(context, payment, paymentId) : notSettled(context, error.code)
  }
}

/** By this key before, or by the seller itself. */
function isRefunded({ code, details }: AppError): boolean {
  return code === 'conflict' || (code === 'idempotency_error' && details?.['same_request'] === true)
}
