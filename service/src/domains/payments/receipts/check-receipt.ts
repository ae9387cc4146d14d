import type { ResponseOf, verifyReceipt } from '@batua/contract'
import type { Caller } from '../../../http/caller.ts'
import { verifyObject } from '../../../kernel/signing.ts'
import type { ReceiptsContext } from './context.ts'
import { areGenuine, findPayment, isParty, receiptFacts } from './find-receipt.ts'
import { receiptContent, signReceipt, withoutWords } from './receipt.ts'

export type ReceiptVerification = ResponseOf<typeof verifyReceipt>

/**
 * Whether a receipt is genuine: the payment is as it was posted, its sides are who they were created as, and the
 * signature fits the published key.
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

/** No receipt is shown: signing what somebody wrote into the book would make it look genuine. */
function altered({ logger }: ReceiptsContext, address: string): ReceiptVerification {
  logger.error(
    { receipt: address },
    'the transfer behind a receipt, or an agent of it, is not as it was written',
  )
  return { valid: false, reason: 'bad_signature', receipt: null }
}
