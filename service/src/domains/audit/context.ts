import type { CheckpointKey } from '@batua/verification/checkpoint'
import type { Database } from '../../db/database.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Logger } from '../../kernel/logger.ts'
import type { Vault } from '../../kernel/secrets.ts'

/** The context of the audit log. */
export interface AuditContext {
  readonly database: Database
  readonly clock: Clock
  readonly vault: Vault
  readonly signingKeys: AuditKeys
  /** The first part of the log's name. */
  readonly serviceName: string
  readonly logger: Pick<Logger, 'error'>
}

/** The service's signing keys, as far as the log needs them. An interface, because the signing domain imports this one. */
export interface AuditKeys {
  current(): Promise<CheckpointKey>
  all(): Promise<readonly AuditKey[]>
}

export interface AuditKey {
  readonly publicKey: string
  readonly revokedAt: Date | null
}

/** The public keys whose checkpoints are accepted: those in use and retired ones, but no revoked ones. */
export async function acceptedKeys(signingKeys: AuditKeys): Promise<string[]> {
  const keys = await signingKeys.all()
  return keys.filter(({ revokedAt }) => revokedAt === null).map(({ publicKey }) => publicKey)
}
