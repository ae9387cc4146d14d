import type { Database } from '../../../db/database.ts'
import type { Logger } from '../../../kernel/logger.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import type { SigningKeys } from '../keys/signing-keys.ts'

/** The dependencies of reading and verifying certificates. */
export interface CertificatesContext {
  readonly database: Database
  readonly vault: Vault
  readonly signingKeys: Pick<SigningKeys, 'byId' | 'at'>
  readonly logger: Pick<Logger, 'error'>
}
