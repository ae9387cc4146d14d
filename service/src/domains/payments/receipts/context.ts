import type { Database } from '../../../db/database.ts'
import type { Logger } from '../../../kernel/logger.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import type { SigningKeys } from '../../signing/index.ts'

/** The dependencies of issuing and verifying receipts. */
export interface ReceiptsContext {
  readonly database: Database
  readonly vault: Vault
  readonly signingKeys: SigningKeys
  /** The issuer that every receipt names. */
  readonly serviceName: string
  readonly logger: Pick<Logger, 'error'>
}
