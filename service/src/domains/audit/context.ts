import type { Database } from '../../db/database.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Logger } from '../../kernel/logger.ts'
import type { Vault } from '../../kernel/secrets.ts'
import type { CheckpointKey } from './checkpoint.ts'

/** What the audit log works with. */
export interface AuditContext {
  readonly database: Database
  readonly clock: Clock
  readonly vault: Vault
  readonly signingKeys: AuditKeys
  /** The first part of the log's name. */
  readonly serviceName: string
  readonly logger: Pick<Logger, 'error'>
}

/** The service's signing keys, as far as the log needs them: their module records its own acts here. */
export interface AuditKeys {
  current(): Promise<CheckpointKey>
  all(): Promise<readonly AuditKey[]>
}

export interface AuditKey {
  readonly publicKey: string
  readonly revokedAt: Date | null
}

/** The public keys whose checkpoints are accepted. A retired key has signed what it signed; a revoked one counts no more. */
export async function acceptedKeys(signingKeys: AuditKeys): Promise<string[]> {
  const keys = await signingKeys.all()
  return keys.filter(({ revokedAt }) => revokedAt === null).map(({ publicKey }) => publicKey)
}
