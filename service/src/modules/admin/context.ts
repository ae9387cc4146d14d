import type { Database, Queryable } from '../../db/database.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Logger } from '../../kernel/logger.ts'
import type { Vault } from '../../kernel/secrets.ts'
import type { Ledger } from '../../ledger/index.ts'

/** What the use cases of administrators work with. */
export interface AdminContext {
  readonly database: Database
  readonly clock: Clock
  readonly vault: Vault
  readonly logger: Pick<Logger, 'error'>
  readonly ledger: Pick<Ledger, 'answered'>
  readonly countPendingApprovals: (db: Queryable, now: Date) => Promise<number>
  readonly countOpenAlerts: (db: Queryable) => Promise<number>
}
