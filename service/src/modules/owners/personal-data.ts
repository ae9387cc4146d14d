import type { Vault } from '../../kernel/secrets.ts'

/** A column of owners whose values are encrypted; the name is authenticated, so none can be moved to another. */
type PersonalColumn = 'phone' | 'email' | 'pan' | 'bank_account'

export function sealPersonal(vault: Vault, column: PersonalColumn, text: string): Buffer {
  return vault.encrypt(text, `owners.${column}`)
}

export function openPersonal(vault: Vault, column: PersonalColumn, sealed: Buffer): string {
  return vault.decrypt(sealed, `owners.${column}`)
}

/** The digest by which an owner is found by phone or PAN without either being stored readable. */
export function personalIndex(vault: Vault, column: 'phone' | 'pan', text: string): Buffer {
  return vault.blindIndex(text, `owners.${column}`)
}

/** `vendor_<PAN>_<agent_id>`: it shows a PAN, so only to the platform, the owner and administrators. */
export function vendorId(vault: Vault, sealedPan: Buffer, agentId: string): string {
  return `vendor_${openPersonal(vault, 'pan', sealedPan)}_${agentId}`
}
