import type { Caller } from '../../http/caller.ts'
import { assert } from '../../kernel/assert.ts'
import { parseId, type Uuid } from '../../kernel/ids.ts'
import type { Transfer } from '../../ledger/index.ts'
import { mayAccess } from '../agents/index.ts'
import type { ReceiptsContext } from './context.ts'
import type { ReceiptFacts } from './receipt.ts'
import { type FoundPayment, findSealedPayment } from './sealed-payment.ts'
import { selectParties } from './store.ts'

/** The payment that an address names by its receipt's id or its own; the two share one uuid. */
export async function findPayment(
  { database, vault }: ReceiptsContext,
  address: string,
): Promise<FoundPayment> {
  const id = receiptIdIn(address)
  return id === null ? { kind: 'none' } : findSealedPayment(database, vault, id)
}

export function receiptIdIn(address: string): Uuid | null {
  return parseId('rcp', address) ?? parseId('pay', address)
}

export async function receiptFacts({ database }: ReceiptsContext, payment: Transfer): Promise<ReceiptFacts> {
  const parties = await selectParties(database, [payment.debitAccount, payment.creditAccount])
  const payer = parties.find(party => party.id === payment.debitAccount)
  const payee = parties.find(party => party.id === payment.creditAccount)
  assert(payer !== undefined && payee !== undefined, 'agents are never removed')
  return { payment, payer, payee }
}

/** The agents of either side, their platforms and owners. An administrator is no party to a payment. */
export function isParty(caller: Caller, { payer, payee }: ReceiptFacts): boolean {
  return caller.kind !== 'admin' && (mayAccess(caller, payer) || mayAccess(caller, payee))
}
