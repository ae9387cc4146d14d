import { assert } from '../../../kernel/assert.ts'
import { boundedMap } from '../../../kernel/bounded-map.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import type { Transfer } from '../../../ledger/index.ts'
import type { StoredIdentity } from '../../parties/index.ts'
import { areGenuine, type ReceiptsContext, receiptFacts } from './find-receipt.ts'
import { type ReceiptFacts, receiptContent, receiptToken } from './receipt.ts'

const REMEMBERED_PARTIES = 10_000

/**
 * Signs the token for the payer right after the payment, from the transfer as the ledger posted it: it is not read
 * again. The parties' identities never change, so they are cached once verified. The result is null when the token
 * cannot be signed now.
 */
export function createReceiptTokens(context: ReceiptsContext): (payment: Transfer) => Promise<string | null> {
  const proven = boundedMap<Uuid, StoredIdentity>(REMEMBERED_PARTIES)

  async function factsOf(payment: Transfer): Promise<ReceiptFacts> {
    const payer = proven.get(payment.debitAccount)
    const payee = proven.get(payment.creditAccount)
    if (payer !== undefined && payee !== undefined) return { payment, payer, payee }
    const facts = await receiptFacts(context, payment)
    const address = formatId('rcp', payment.id)
    assert(facts !== null, `the agents of ${address} are there`)
    assert(areGenuine(context, facts), `the agents of ${address} are who they were created as`)
    for (const party of [facts.payer, facts.payee]) proven.set(party.id, party)
    return facts
  }

  return async payment => {
    // The money has moved: an error would suggest that nothing was paid.
    try {
      const [facts, key] = await Promise.all([factsOf(payment), context.signingKeys.at(payment.postedAt)])
      return await receiptToken(receiptContent(facts, context.serviceName, key.id), key)
    } catch (error) {
      context.logger.error({ err: error, payment: payment.id }, 'receipt token could not be signed')
      return null
    }
  }
}
