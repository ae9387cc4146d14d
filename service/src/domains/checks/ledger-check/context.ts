import type { Database, Queryable } from '../../../db/database.ts'
import type { CheckedTable } from '../../../db/row-mac.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Logger } from '../../../kernel/logger.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import type { Holdings } from '../../../ledger/index.ts'

/** What the unending check of the book works with. */
export interface IntegrityContext {
  readonly database: Database
  readonly clock: Clock
  readonly vault: Vault
  readonly logger: Pick<Logger, 'error'>
  readonly holdings: Holdings
  /** Whose rows have MACs, in the order in which a round goes through them. */
  readonly tables: readonly CheckedTable[]
  /** Which of these accounts' agents are not who they were created as. */
  readonly findAlteredAgents: (db: Queryable, vault: Vault, ids: readonly Uuid[]) => Promise<readonly Uuid[]>
}
