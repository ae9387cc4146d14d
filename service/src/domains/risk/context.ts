import type { Database, Queryable } from '../../db/database.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { Logger } from '../../kernel/logger.ts'
import type { Vault } from '../../kernel/secrets.ts'
import type { Ledger } from '../../ledger/index.ts'
import type { Recording } from '../../operations/facts.ts'
import type { SignalRecorder } from './signals.ts'

/** The dependencies of the rules' jobs. */
export interface RiskJobsContext {
  readonly database: Database
  readonly clock: Clock
  readonly vault: Vault
  readonly logger: Pick<Logger, 'warn'>
  readonly signals: SignalRecorder
}

/** The dependencies of the administrators' routes. */
export interface RiskContext {
  readonly database: Database
  readonly clock: Clock
  readonly vault: Vault
  readonly ledger: Pick<Ledger, 'awaitCommits'>
  /**
   * Quarantines an agent under its account's lock, within the transaction that confirms the alert; throws a conflict
   * when the agent's state does not allow it.
   */
  readonly quarantine: (tx: Queryable, agentId: Uuid, recording: Recording) => Promise<unknown>
}
