import type { Database } from '../../../db/database.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import type { Ledger } from '../../../ledger/index.ts'
import type { SigningKeys } from '../../signing/index.ts'
import type { FindAgent } from './find-agent.ts'

/** The dependencies of the use cases of agents. */
export interface AgentsContext {
  readonly database: Database
  readonly clock: Clock
  readonly vault: Vault
  readonly findAgent: FindAgent
  /** The keys that sign default certificates, and the issuer that these name. */
  readonly signingKeys: Pick<SigningKeys, 'at'>
  readonly serviceName: string
  readonly ledger: Pick<Ledger, 'awaitCommits'>
  /** In sandbox mode an origin may be on the local machine. */
  readonly mode: 'sandbox' | 'live'
  /** The cooldown of a change that loosens a policy. */
  readonly limitIncreaseCooldownS: number
  /** The most agents, without deactivated ones, of an owner and of a platform. */
  readonly maxAgentsPerOwner: number
  readonly maxAgentsPerPlatform: number
}
