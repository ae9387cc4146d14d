import type { Database, Queryable } from '../../../db/database.ts'
import type { BankVerifier } from '../../../gateways/bank-verifier.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Logger } from '../../../kernel/logger.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import type { Recording } from '../../../operations/act.ts'

/** What the use cases of owners work with. */
export interface OwnersContext {
  readonly database: Database
  readonly clock: Clock
  readonly vault: Vault
  readonly bankVerifier: BankVerifier
  readonly logger: Logger
  /** How long a changed bank account waits. */
  readonly limitIncreaseCooldownS: number
  /** Moves a verified owner's agents out of the sandbox tier, in the same commit. Agents know owners, not the reverse. */
  readonly raiseAgentsToTier1: (tx: Queryable, ownerId: Uuid, recording: Recording) => Promise<void>
}
