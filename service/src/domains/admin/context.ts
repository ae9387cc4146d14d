import type { Database, Queryable } from '../../db/database.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Vault } from '../../kernel/secrets.ts'
import type { Ledger } from '../../ledger/index.ts'

/** The last reconciliation of the ledger with the gateway; nulls before the first one. */
export interface LastReconciliation {
  readonly differences: number | null
  readonly checkedAt: Date | null
}

/** What the use cases of administrators work with. */
export interface AdminContext {
  readonly database: Database
  readonly clock: Clock
  readonly vault: Vault
  readonly ledger: Pick<Ledger, 'awaitCommits'>
  readonly countPendingApprovals: (db: Queryable, now: Date) => Promise<number>
  readonly countOpenAlerts: (db: Queryable) => Promise<number>
  /** Webhook deliveries for which every attempt failed. */
  readonly countFailedDeliveries: (db: Queryable) => Promise<number>
  readonly readReconciliation: (db: Queryable) => Promise<LastReconciliation>
}
