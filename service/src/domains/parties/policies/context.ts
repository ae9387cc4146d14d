import type { Ledger } from '../../../ledger/index.ts'
import type { AgentPolicyCache } from '../../limits/index.ts'
import type { AgentsContext } from '../agents/context.ts'

/** What showing and setting spend policies works with. */
export interface PolicySettingsContext extends AgentsContext {
  readonly ledger: Ledger
  readonly agents: AgentPolicyCache
}
