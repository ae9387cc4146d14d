import type { Database } from '../../../db/database.ts'
import type { Caller } from '../../../http/caller.ts'
import { parseId, type Uuid } from '../../../kernel/ids.ts'
import type { Logger } from '../../../kernel/logger.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { findProvenPayment, type Transfer } from '../../../ledger/index.ts'
import { isGenuineAgent, mayAccess } from '../../parties/index.ts'
import type { SigningKeys } from '../../signing/index.ts'
import { type ReceiptFacts, selectParties } from './receipt.ts'

/** A payment as the posting engine wrote it, no payment, or one whose row was changed since. */
type FoundPayment =
  | { readonly kind: 'payment'; readonly payment: Transfer }
  | { readonly kind: 'none' }
  | { readonly kind: 'altered' }

/** The payment of a receipt id or payment id; the two share one uuid. */
export async function findPayment(
  { database, vault }: ReceiptsContext,
  address: string,
): Promise<FoundPayment> {
  const id = receiptIdIn(address)
  const found = id === null ? ({ kind: 'none' } as const) : await findProvenPayment(database, vault, id)
  return found.kind === 'transfer' ? { kind: 'payment', payment: found.transfer } : found
}

export function receiptIdIn(address: string): Uuid | null {
  return parseId('rcp', address) ?? parseId('pay', address)
}

/** A payment with both its sides; null when one of them is missing, though agents are never removed. */
export async function receiptFacts(
  { database }: ReceiptsContext,
  payment: Transfer,
): Promise<ReceiptFacts | null> {
  const parties = await selectParties(database, [payment.debitAccount, payment.creditAccount])
  const payer = parties.find(party => party.id === payment.debitAccount)
  const payee = parties.find(party => party.id === payment.creditAccount)
  return payer === undefined || payee === undefined ? null : { payment, payer, payee }
}

/** The agents of either side, their platforms and owners. An administrator is not a party to a payment. */
export function isParty(caller: Caller, { payer, payee }: ReceiptFacts): boolean {
  return caller.kind !== 'admin' && (mayAccess(caller, payer) || mayAccess(caller, payee))
}

/** Whether the identity MACs of both sides are valid: the receipt contains their handles. */
export function areGenuine(
  { vault }: Pick<ReceiptsContext, 'vault'>,
  { payer, payee }: ReceiptFacts,
): boolean {
  return isGenuineAgent(vault, payer) && isGenuineAgent(vault, payee)
}

/** The dependencies of issuing and verifying receipts. */
export interface ReceiptsContext {
  readonly database: Database
  readonly vault: Vault
  readonly signingKeys: SigningKeys
  /** The issuer that every receipt names. */
  readonly serviceName: string
  readonly logger: Pick<Logger, 'error'>
}
