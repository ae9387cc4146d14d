import type { Database } from '../../../db/database.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Vault } from '../../../kernel/secrets.ts'

/** What signing keys are kept with. */
export interface KeysContext {
  readonly database: Database
  readonly clock: Clock
  readonly vault: Vault
}
