import type { Database } from '../../../db/database.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import type { RelyingParty } from './relying-party.ts'

/** The dependencies of passkeys and of what they confirm. */
export interface PasskeysContext {
  readonly database: Database
  readonly vault: Vault
  /** null: the public address is an IP address, for which browsers make no passkeys. */
  readonly relyingParty: RelyingParty | null
}
