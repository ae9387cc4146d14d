import type { Database } from '../../db/database.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Logger } from '../../kernel/logger.ts'
import type { Vault } from '../../kernel/secrets.ts'
import type { Ledger } from '../../ledger/index.ts'
import type { AgentPolicyCache } from '../limits/index.ts'
import type { WithStepUp } from '../parties/index.ts'

export interface AppsContext extends WithStepUp {
  readonly database: Database
  readonly vault: Vault
  readonly clock: Clock
  readonly logger: Logger
  readonly ledger: Ledger
  readonly agents: AgentPolicyCache
  readonly mode: 'sandbox' | 'live'
  /** The public address. */
  readonly baseUrl: string
}
