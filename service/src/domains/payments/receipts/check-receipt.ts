import type { ResponseOf, verifyReceipt } from '@batua/contract'
import type { Caller } from '../../../http/caller.ts'
import { verifyObject } from '../../../kernel/signing.ts'
import { areGenuine, findPayment, isParty, type ReceiptsContext, receiptFacts } from './find-receipt.ts'
import { receiptContent, signReceipt, withoutWords } from './receipt.ts'

export type ReceiptVerification = ResponseOf<typeof verifyReceipt>

/**
 * Whether a receipt is genuine: the transfer's MAC is valid, its sides are the agents that were created, and the
 * signature verifies with the published key.
 */
export async function checkReceipt(
  context: ReceiptsContext,
  caller: Caller,
  address: string,
): Promise<ReceiptVerification> {
  const found = await findPayment(context, address)
  if (found.kind === 'none') return { valid: false, reason: 'not_found', receipt: null }
  if (found.kind === 'altered') return altered(context, address)
  const facts = await receiptFacts(context, found.payment)
  if (facts === null || !areGenuine(context, facts)) return altered(context, address)
  const key = await context.signingKeys.at(found.payment.postedAt)
  const content = receiptContent(facts, context.serviceName, key.id)
  const receipt = await signReceipt(content, key)
  if (!verifyObject(content, receipt.signature, key.publicKeyObject)) return altered(context, address)
  const shown = isParty(caller, facts) ? receipt : withoutWords(receipt)
  return { valid: true, reason: 'ok', receipt: shown }
}

/** No receipt is returned: signing a row that was edited would make it look genuine. */
function altered({ logger }: ReceiptsContext, address: string): ReceiptVerification {
  logger.error({ receipt: address }, 'receipt refused: its transfer or an agent of it failed verification')
  return { valid: false, reason: 'bad_signature', receipt: null }
}
