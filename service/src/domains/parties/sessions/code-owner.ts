import type { Vault } from '../../../kernel/secrets.ts'
import { personalIndex } from '../owners/personal-data.ts'
import type { Audience } from './audience.ts'

/** The codes of a phone, by its digest, for one of the two logins. */
export interface PhoneLogin {
  readonly audience: Audience
  readonly phoneIndex: Buffer
}

/** Whose code it is: the phone's at one network or browser, so that a stranger's is another. */
export interface CodeOwner extends PhoneLogin {
  readonly addressIndex: Buffer
}

export function phoneLoginOf(vault: Vault, audience: Audience, phone: string): PhoneLogin {
  return { audience, phoneIndex: personalIndex(vault, 'phone', phone) }
}
