import type { Queryable } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { findProvenTransfer, type Transfer } from '../../../ledger/index.ts'

/** A payment as the posting engine wrote it, or that there is none, or that somebody has changed it since. */
export type FoundPayment =
  | { readonly kind: 'payment'; readonly payment: Transfer }
  | { readonly kind: 'none' }
  | { readonly kind: 'altered' }

/** Reads a payment and proves it. Whatever tells others that money was paid asks for the proof. */
export async function findProvenPayment(db: Queryable, vault: Vault, id: Uuid): Promise<FoundPayment> {
  const found = await findProvenTransfer(db, vault, id)
  if (found.kind !== 'transfer') return found
  return found.transfer.kind === 'payment' ? { kind: 'payment', payment: found.transfer } : { kind: 'none' }
}
