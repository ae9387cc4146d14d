import type { Database } from '../../../db/database.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Vault } from '../../../kernel/secrets.ts'

/** The dependencies of managing signing keys. */
export interface KeysContext {
  readonly database: Database
  readonly clock: Clock
  readonly vault: Vault
}
