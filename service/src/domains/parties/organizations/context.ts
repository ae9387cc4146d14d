import type { Database } from '../../../db/database.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import type { Ledger } from '../../../ledger/index.ts'

/** What organizations work with. */
export interface OrganizationsContext {
  readonly database: Database
  readonly clock: Clock
  readonly vault: Vault
  readonly ledger: Ledger
  /** How long a raised budget waits. */
  readonly limitIncreaseCooldownS: number
}
