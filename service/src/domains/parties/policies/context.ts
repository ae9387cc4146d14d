import type { Ledger } from '../../../ledger/index.ts'
import type { AgentPolicyCache } from '../../limits/index.ts'
import type { AgentsContext } from '../agents/context.ts'

/** What announcing a changed policy to the agents needs. */
export type Announcer = Pick<AgentsContext, 'database' | 'clock' | 'vault'>

/** The dependencies of the routes of policies. */
export interface PolicySettingsContext extends AgentsContext {
  readonly ledger: Ledger
  readonly agents: AgentPolicyCache
}
