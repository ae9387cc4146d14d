import type { Database } from '../../db/database.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Vault } from '../../kernel/secrets.ts'

/** What the use cases of platforms work with. */
export interface PlatformsContext {
  readonly database: Database
  readonly clock: Clock
  readonly vault: Vault
  /** Whether anyone may open a platform; otherwise only an administrator. */
  readonly signupOpen: boolean
  readonly mode: 'sandbox' | 'live'
}
