import type { QueryOf, Verification, VerifyFailure, verifyTransaction } from '@batua/contract'
import type { AgentCaller } from '../../http/caller.ts'
import { AppError } from '../../kernel/app-error.ts'
import { assert } from '../../kernel/assert.ts'
import { formatId, movementOf, parseId, type Uuid } from '../../kernel/ids.ts'
import { requirePaise } from '../../kernel/input.ts'
import { rupeesText } from '../../kernel/money.ts'
import type { Transfer } from '../../ledger/index.ts'
import { findSealedPayment } from '../receipts/index.ts'
import type { TransactionsContext } from './context.ts'
import { decideVerification, type Expectation, isSameUse, type NonceUse } from './decide-verification.ts'
import { insertUse, selectRefunded, selectUse } from './nonce-store.ts'

export type VerificationQuery = QueryOf<typeof verifyTransaction>

/** Whether a payment is what the calling seller expects; with `consume` its nonce is used up in the same step. */
export async function verifyPayment(
  context: TransactionsContext,
  caller: AgentCaller,
  address: string,
  query: VerificationQuery,
  now: Date,
): Promise<Verification> {
  const expected = await expectationOf(context, query)
  const use = useOf(query)
  const payment = await paymentIn(context, address)
  if (payment === null) return answer(address, 'transaction_not_found', null)

  const failure = await checkPayment(context, { payment, callerId: caller.agentId, expected, use, now })
  const isParty = caller.agentId === payment.creditAccount || caller.agentId === payment.debitAccount
  return answer(address, failure, isParty ? payment : null)
}

async function expectationOf(
  { findAgent }: TransactionsContext,
  { expected_payee: payee, expected_amount: amount, nonce }: VerificationQuery,
): Promise<Expectation> {
  return {
    payee: payee === undefined ? null : { id: await findAgent(payee) },
    amountPaise: amount === undefined ? null : requirePaise(amount, 'expected_amount'),
    nonce: nonce ?? null,
  }
}

/** The nonce to use up, and the seller's name for the use. */
interface Use {
  readonly nonce: string
  readonly consumeId: string | null
}

function useOf({ consume, consume_id: consumeId, nonce }: VerificationQuery): Use | null {
  if (consume !== true) {
    if (consumeId === undefined) return null
    // Ignored, it would leave the seller in the belief that the nonce is used up.
    throw new AppError('validation_error', 'consume_id needs consume=true', { field: 'consume_id' })
  }
  if (nonce === undefined) {
    throw new AppError('validation_error', 'consume=true needs the nonce that shall be used up', {
      field: 'nonce',
    })
  }
  return { nonce: nonce.normalize('NFC'), consumeId: consumeId ?? null }
}

/** The payment of an id, its own or that of either side's statement line. Refunds and fundings are no payments. */
async function paymentIn(
  { database, vault }: TransactionsContext,
  address: string,
): Promise<Transfer | null> {
  const id = paymentIdIn(address)
  const found = id === null ? null : await findSealedPayment(database, vault, id)
  // Whoever writes into the book must not be able to make a seller believe that it was paid.
  assert(found?.kind !== 'altered', `the transfer behind ${address} is as it was posted`)
  return found?.kind === 'payment' ? found.payment : null
}

function paymentIdIn(address: string): Uuid | null {
  const payment = parseId('pay', address)
  if (payment !== null) return payment
  const line = parseId('txn', address)
  return line === null ? null : movementOf(line).movement
}

interface Check {
  readonly payment: Transfer
  readonly callerId: Uuid
  readonly expected: Expectation
  readonly use: Use | null
  readonly now: Date
}

async function checkPayment(context: TransactionsContext, check: Check): Promise<VerifyFailure | null> {
  const { payment, callerId, expected, use, now } = check
  const { database } = context
  const refundedPaise = await selectRefunded(database, payment.id)
  const earlier = use === null ? null : await selectUse(database, callerId, use.nonce)
  const granted = use !== null && isSameUse(earlier, payment.id, use.consumeId)
  const failure = decideVerification({ payment, refundedPaise, callerId, expected, granted })
  if (failure !== null || use === null || granted) return failure

  const wanted: NonceUse = { paymentId: payment.id, consumeId: use.consumeId }
  if (await insertUse(database, callerId, use.nonce, wanted, now)) return null
  // Someone else was faster; it may have been this very request, sent twice.
  const winner = await selectUse(database, callerId, use.nonce)
  return isSameUse(winner, payment.id, use.consumeId) ? null : 'nonce_already_used'
}

function answer(address: string, failure: VerifyFailure | null, payment: Transfer | null): Verification {
  return {
    verified: failure === null,
    ...(failure === null ? {} : { reason: failure }),
    transaction_id: address,
    from: payment === null ? null : formatId('agt', payment.debitAccount),
    to: payment === null ? null : formatId('agt', payment.creditAccount),
    amount: payment === null ? null : rupeesText(payment.amountPaise),
    asset: 'INR',
    created_at: payment === null ? null : payment.postedAt.toISOString(),
  }
}
