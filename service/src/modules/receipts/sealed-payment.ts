import type { Queryable } from '../../db/database.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { sameHash, type Vault } from '../../kernel/secrets.ts'
import { sealedText, type Transfer } from '../../ledger/index.ts'
import { selectSealed } from './store.ts'

/** A payment as the posting engine wrote it, or that there is none, or that somebody has changed it since. */
export type FoundPayment =
  | { readonly kind: 'payment'; readonly payment: Transfer }
  | { readonly kind: 'none' }
  | { readonly kind: 'altered' }

/**
 * Reads a payment and proves it: the seal covers every field, and only who holds the master key can make one. Whatever
 * tells others that money was paid asks here.
 */
export async function findSealedPayment(db: Queryable, vault: Vault, id: Uuid): Promise<FoundPayment> {
  const [row, second] = await selectSealed(db, id)
  if (row === undefined) return { kind: 'none' }
  const { transfer, seal } = row
  if (second !== undefined || !sameHash(vault.seal(sealedText(transfer)), seal)) return { kind: 'altered' }
  return transfer.kind === 'payment' ? { kind: 'payment', payment: transfer } : { kind: 'none' }
}
