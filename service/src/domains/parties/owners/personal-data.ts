import type { Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'

/** An encrypted column. The encryption authenticates its name and the owner, so no value can be moved to another. */
export type PersonalColumn = 'phone' | 'email' | 'pan' | 'bank_account'

export function encryptPersonal(vault: Vault, ownerId: Uuid, column: PersonalColumn, text: string): Buffer {
  return vault.encrypt(text, personalContext(ownerId, column))
}

/** Decrypts personal data. Bank accounts in owners, submissions and payouts are all encrypted for their owner. */
export function decryptPersonal(
  vault: Vault,
  ownerId: Uuid,
  column: PersonalColumn,
  encrypted: Buffer,
): string {
  return vault.decrypt(encrypted, personalContext(ownerId, column))
}

export function personalContext(ownerId: Uuid, column: PersonalColumn): string {
  return `owners.${column}:${ownerId}`
}

/** The keyed digest by which an owner is found by phone or PAN, so that neither is stored in readable form. */
export function personalIndex(vault: Vault, column: 'phone' | 'pan', text: string): Buffer {
  return vault.blindIndex(text, `owners.${column}`)
}

/** `vendor_<PAN>_<agent_id>`: contains the PAN, so only the platform, the owner and administrators see it. */
export function vendorId(
  vault: Vault,
  { ownerId, encryptedOwnerPan }: { readonly ownerId: Uuid; readonly encryptedOwnerPan: Buffer },
  agentId: string,
): string {
  return `vendor_${decryptPersonal(vault, ownerId, 'pan', encryptedOwnerPan)}_${agentId}`
}
