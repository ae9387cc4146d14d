import type { Database } from '../../../db/database.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import type { FindAgent } from '../../parties/index.ts'

/** The dependencies of reading statements. */
export interface TransactionsContext {
  readonly database: Database
  readonly vault: Vault
  readonly findAgent: FindAgent
}
