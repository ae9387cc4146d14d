import type { Database } from '../../../db/database.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import type { Ledger } from '../../../ledger/index.ts'

/** The dependencies of the use cases of organizations. */
export interface OrganizationsContext {
  readonly database: Database
  readonly clock: Clock
  readonly vault: Vault
  readonly ledger: Ledger
  /** The cooldown of a raised budget. */
  readonly limitIncreaseCooldownS: number
}
