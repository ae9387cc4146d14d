import type { Database, Queryable } from '../../../db/database.ts'
import type { BankVerifier } from '../../../gateways/bank-verifier.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Logger } from '../../../kernel/logger.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import type { Recording } from '../../../operations/facts.ts'

/** The dependencies of the use cases of owners. */
export interface OwnersContext {
  readonly database: Database
  readonly clock: Clock
  readonly vault: Vault
  readonly bankVerifier: BankVerifier
  readonly logger: Logger
  /** The cooldown of a changed bank account. */
  readonly limitIncreaseCooldownS: number
  /** Moves a verified owner's agents to tier1 in the same commit. Passed in, because owners do not import agents. */
  readonly raiseAgentsToTier1: (tx: Queryable, ownerId: Uuid, recording: Recording) => Promise<void>
}
