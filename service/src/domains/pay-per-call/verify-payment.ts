import type { QueryOf, Verification, VerifyFailure, verifyTransaction } from '@batua/contract'
import type { Database } from '../../db/database.ts'
import type { AgentCaller } from '../../http/caller.ts'
import { AppError } from '../../kernel/app-error.ts'
import { formatId, movementOf, parseId } from '../../kernel/ids.ts'
import { type Paise, requirePaise, rupeesText } from '../../kernel/money.ts'
import type { Vault } from '../../kernel/secrets.ts'
import type { FindAgent } from '../parties/index.ts'
import { selectMovementStatus } from '../payments/index.ts'
import { decideVerification, type Expectation, isSameUse, type NonceUse } from './decide-verification.ts'
import { type NonceOwner, nonceFact } from './facts.ts'
import { selectRefunded, selectUse, takeUse } from './nonce-store.ts'
import { findVerifiable, type VerifiablePayment } from './verifiable-payment.ts'

/** The dependencies of verifying payments. */
export interface VerificationContext {
  readonly database: Database
  readonly vault: Vault
  readonly findAgent: FindAgent
}

export type VerificationQuery = QueryOf<typeof verifyTransaction>

/**
 * Checks that a payment is what the calling seller expects. With `consume` its nonce is consumed in the same statement.
 */
export async function verifyPayment(
  context: VerificationContext,
  caller: AgentCaller,
  address: string,
  query: VerificationQuery,
  now: Date,
): Promise<Verification> {
  const expected = await expectationOf(context, query)
  const use = useOf(query)
  const payment = await findVerifiable(context, address)
  if (payment === null) return responseOf(address, await noPayment(context, address), null)

  const refundedPaise = await selectRefunded(context.database, payment.id)
  const failure = await checkPayment(context, { payment, refundedPaise, caller, expected, use, now })
  const isParty = caller.agentId === payment.payee || caller.agentId === payment.payer
  return responseOf(address, failure, isParty ? { ...payment, refundedPaise } : null)
}

/** A funding, a payout, a refund or an allocation exists, but is no payment to any agent. */
async function noPayment({ database }: VerificationContext, address: string): Promise<VerifyFailure> {
  const line = parseId('txn', address)
  const status = line === null ? null : await selectMovementStatus(database, movementOf(line).movement)
  if (status === null) return 'transaction_not_found'
  return status === 'completed' ? 'not_payee' : 'transaction_not_completed'
}

async function expectationOf(
  { findAgent }: VerificationContext,
  { expected_payee: payee, expected_payer: payer, expected_amount: amount, nonce }: VerificationQuery,
): Promise<Expectation> {
  return {
    payee: payee === undefined ? null : { id: await findAgent(payee) },
    payer: payer === undefined ? null : { id: await findAgent(payer) },
    amountPaise: amount === undefined ? null : requirePaise(amount, 'expected_amount'),
    nonce: nonce ?? null,
  }
}

/** The nonce to consume, and the seller's id for the use. */
interface Use {
  readonly nonce: string
  readonly consumeId: string | null
}

function useOf({ consume, consume_id: consumeId, nonce }: VerificationQuery): Use | null {
  if (consume !== true) {
    if (consumeId === undefined) return null
    // If it were ignored, the seller would believe that the nonce is consumed.
    throw new AppError('validation_error', 'consume_id needs consume=true', { field: 'consume_id' })
  }
  if (nonce === undefined) {
    throw new AppError('validation_error', 'consume=true needs the nonce that is to be consumed', {
      field: 'nonce',
    })
  }
  return { nonce: nonce.normalize('NFC'), consumeId: consumeId ?? null }
}

interface Check {
  readonly payment: VerifiablePayment
  readonly refundedPaise: Paise
  readonly caller: AgentCaller
  readonly expected: Expectation
  readonly use: Use | null
  readonly now: Date
}

async function checkPayment(context: VerificationContext, check: Check): Promise<VerifyFailure | null> {
  const { payment, refundedPaise, caller, expected, use } = check
  const { database } = context
  const callerId = caller.agentId
  const facts = { payment, refundedPaise, callerId, expected }
  const failure = decideVerification({ ...facts, granted: false })
  if (use === null) return failure
  if (failure === null && (await useUp(context, check, use))) return null

  // Queried only now: most uses are the first of their nonce, and a paid call should need as few queries as possible.
  const earlier = await selectUse(database, callerId, use.nonce)
  if (isSameUse(earlier, payment.id, use.consumeId)) return decideVerification({ ...facts, granted: true })
  return failure ?? 'nonce_already_used'
}

/**
 * Consumes a nonce for a payment, or for an authorization by its transfer. Of any number of concurrent calls exactly one
 * gets true.
 */
export function useUp(
  { database, vault }: VerificationContext,
  { payment, caller, now }: Pick<Check, 'caller' | 'now'> & { readonly payment: NonceOwner },
  use: Use,
): Promise<boolean> {
  const { nonce, consumeId } = use
  const used: NonceUse = { paymentId: payment.id, consumeId }
  const fact = nonceFact('nonce.consumed', caller, payment, nonce, used)
  return takeUse({ database, vault }, { ...used, payee: caller.agentId, nonce, at: now, fact })
}

function responseOf(
  address: string,
  failure: VerifyFailure | null,
  payment: (VerifiablePayment & { readonly refundedPaise: Paise }) | null,
): Verification {
  const payee = payment?.payee ?? null
  return {
    verified: failure === null,
    ...(failure === null ? {} : { reason: failure }),
    transaction_id: address,
    from: payment === null ? null : formatId('agt', payment.payer),
    to: payee === null ? null : formatId('agt', payee),
    amount: payment === null ? null : rupeesText(payment.amountPaise),
    refunded: payment === null ? null : rupeesText(payment.refundedPaise),
    asset: 'INR',
    created_at: payment?.at.toISOString() ?? null,
  }
}
