export { forCaller, mayAccess, requireAgentAccess, requireMayAccess } from './access.ts'
export { agentRecord } from './agent-record.ts'
export { isGenuineAgent, type SealedIdentity } from './agent-seal.ts'
export { applyDuePolicy, cancelPolicyChange } from './change-agent.ts'
export { changeStates, quarantineAgent, type StateOutcome } from './change-states.ts'
export { completeAgents } from './complete-agents.ts'
export type { AgentsContext } from './context.ts'
export { type AgentKeyring, authenticateAgent, openAgentKeyring } from './credentials.ts'
export { type FindAgent, openAgentDirectory } from './find-agent.ts'
export {
  countWithBalance,
  deactivateAgents,
  raiseAgentsToTier1,
  selectAgentIdsOfOwner,
  selectLivingOfPlatform,
  setAgentsTier,
} from './group-store.ts'
export { isOfOwners, selectAgentsOf } from './list-store.ts'
export { findOrigins } from './origins-store.ts'
export { payeeWarnings } from './payee-warnings.ts'
export { renewalJobs, renewIfOutdated } from './renew-certificates.ts'
export { serveAgents } from './routes.ts'
export {
  type FoundAgent,
  findAlteredAgents,
  findSealedAgent,
  lockSealedAgent,
  type SealedAgent,
} from './sealed-store.ts'
export type { StateAct } from './states.ts'
export type { Agent } from './store.ts'
