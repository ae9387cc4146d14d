import type { Vault } from '../../kernel/secrets.ts'
import { personalIndex } from '../owners/index.ts'
import type { Audience } from './audience.ts'

/** The codes of a phone, by its digest, for one of the two logins. */
export interface PhoneLogin {
  readonly audience: Audience
  readonly phoneIndex: Buffer
}

/** Whose code it is: the phone's at one client address, so that a stranger's is another. */
export interface CodeOwner extends PhoneLogin {
  readonly addressIndex: Buffer
}

export function codeOwnerOf(
  vault: Vault,
  audience: Audience,
  phone: string,
  clientAddress: string,
): CodeOwner {
  return {
    audience,
    phoneIndex: personalIndex(vault, 'phone', phone),
    // There are few addresses, so a plain digest would soon be undone.
    addressIndex: vault.blindIndex(clientAddress, 'login_codes.address'),
  }
}
