import type { Receipt } from '@batua/contract'
import type { Caller } from '../../../http/caller.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { assert } from '../../../kernel/assert.ts'
import type { SigningKey } from '../../signing/index.ts'
import { areGenuine, findPayment, isParty, type ReceiptsContext, receiptFacts } from './find-receipt.ts'
import { type ReceiptFacts, receiptContent, signReceipt } from './receipt.ts'

/** The receipt of a payment, created and signed when it is read, with the key that was active when it was paid. */
export async function readReceipt(
  context: ReceiptsContext,
  caller: Caller,
  address: string,
): Promise<Receipt> {
  const { facts, key } = await provenPayment(context, address, caller)
  return signReceipt(receiptContent(facts, context.serviceName, key.id), key)
}

/** A verified payment, and the key to sign its receipt with. A caller that is no party to it gets a 404. */
export async function provenPayment(
  context: ReceiptsContext,
  address: string,
  caller: Caller | null = null,
): Promise<{ readonly facts: ReceiptFacts; readonly key: SigningKey }> {
  const found = await findPayment(context, address)
  // A transfer that failed verification is never signed; the failed assertion is logged for the operator.
  assert(found.kind !== 'altered', `the transfer behind ${address} is as it was posted`)
  if (found.kind === 'none') throw receiptNotFound()
  const facts = await receiptFacts(context, found.payment)
  assert(facts !== null, `the agents of ${address} are there`)
  if (caller !== null && !isParty(caller, facts)) throw receiptNotFound()
  assert(areGenuine(context, facts), `the agents of ${address} are who they were created as`)
  return { facts, key: await context.signingKeys.at(found.payment.postedAt) }
}

function receiptNotFound(): AppError {
  return new AppError('not_found', 'You have no receipt with this id')
}
