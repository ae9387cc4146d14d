import type { Ledger } from '../../ledger/index.ts'
import type { AgentsContext } from '../agents/index.ts'
import type { AgentRegister } from '../policies/index.ts'

/** What showing and setting spend policies works with. */
export interface PolicySettingsContext extends AgentsContext {
  readonly ledger: Ledger
  readonly agents: AgentRegister
}
