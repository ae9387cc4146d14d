import type { Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'

/** A column whose values are encrypted. Its name and the owner are authenticated, so none can be moved to another. */
export type PersonalColumn = 'phone' | 'email' | 'pan' | 'bank_account'

export function encryptPersonal(vault: Vault, ownerId: Uuid, column: PersonalColumn, text: string): Buffer {
  return vault.encrypt(text, personalContext(ownerId, column))
}

/** A bank account is encrypted for its owner wherever it is stored: in owners, their submissions and payouts. */
export function decryptPersonal(vault: Vault, ownerId: Uuid, column: PersonalColumn, sealed: Buffer): string {
  return vault.decrypt(sealed, personalContext(ownerId, column))
}

export function personalContext(ownerId: Uuid, column: PersonalColumn): string {
  return `owners.${column}:${ownerId}`
}

/** The digest by which an owner is found by phone or PAN without either being stored readable. */
export function personalIndex(vault: Vault, column: 'phone' | 'pan', text: string): Buffer {
  return vault.blindIndex(text, `owners.${column}`)
}

/** `vendor_<PAN>_<agent_id>`: it shows a PAN, so only to the platform, the owner and administrators. */
export function vendorId(
  vault: Vault,
  { ownerId, encryptedOwnerPan }: { readonly ownerId: Uuid; readonly encryptedOwnerPan: Buffer },
  agentId: string,
): string {
  return `vendor_${decryptPersonal(vault, ownerId, 'pan', encryptedOwnerPan)}_${agentId}`
}
