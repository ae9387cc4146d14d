import type { Database } from '../../../db/database.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import type { Ledger } from '../../../ledger/index.ts'
import type { SigningKeys } from '../../signing/index.ts'
import type { FindAgent } from './find-agent.ts'

/** What the use cases of agents work with. */
export interface AgentsContext {
  readonly database: Database
  readonly clock: Clock
  readonly vault: Vault
  readonly findAgent: FindAgent
  /** What default certificates are signed with, and the issuer that they name. */
  readonly signingKeys: Pick<SigningKeys, 'at'>
  readonly serviceName: string
  readonly ledger: Pick<Ledger, 'awaitCommits'>
  /** In the sandbox a payee may sell on this machine. */
  readonly mode: 'sandbox' | 'live'
  /** How long a change that loosens a spend policy waits. */
  readonly limitIncreaseCooldownS: number
  /** How many agents that have not ended an owner, and a platform, may have. */
  readonly maxAgentsPerOwner: number
  readonly maxAgentsPerPlatform: number
}
