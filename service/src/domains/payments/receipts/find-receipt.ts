import type { Caller } from '../../../http/caller.ts'
import { parseId, type Uuid } from '../../../kernel/ids.ts'
import type { Transfer } from '../../../ledger/index.ts'
import { isGenuineAgent, mayAccess } from '../../parties/index.ts'
import type { ReceiptsContext } from './context.ts'
import type { ReceiptFacts } from './receipt.ts'
import { type FoundPayment, findProvenPayment } from './sealed-payment.ts'
import { selectParties } from './store.ts'

/** The payment that an address names by its receipt's id or its own; the two share one uuid. */
export async function findPayment(
  { database, vault }: ReceiptsContext,
  address: string,
): Promise<FoundPayment> {
  const id = receiptIdIn(address)
  return id === null ? { kind: 'none' } : findProvenPayment(database, vault, id)
}

export function receiptIdIn(address: string): Uuid | null {
  return parseId('rcp', address) ?? parseId('pay', address)
}

/** A payment with both its sides; null when one of them is gone, though agents are never removed. */
export async function receiptFacts(
  { database }: ReceiptsContext,
  payment: Transfer,
): Promise<ReceiptFacts | null> {
  const parties = await selectParties(database, [payment.debitAccount, payment.creditAccount])
  const payer = parties.find(party => party.id === payment.debitAccount)
  const payee = parties.find(party => party.id === payment.creditAccount)
  return payer === undefined || payee === undefined ? null : { payment, payer, payee }
}

/** The agents of either side, their platforms and owners. An administrator is no party to a payment. */
export function isParty(caller: Caller, { payer, payee }: ReceiptFacts): boolean {
  return caller.kind !== 'admin' && (mayAccess(caller, payer) || mayAccess(caller, payee))
}

/** Whether both sides are who they were created as: their handles stand in the receipt. */
export function areGenuine(
  { vault }: Pick<ReceiptsContext, 'vault'>,
  { payer, payee }: ReceiptFacts,
): boolean {
  return isGenuineAgent(vault, payer) && isGenuineAgent(vault, payee)
}
