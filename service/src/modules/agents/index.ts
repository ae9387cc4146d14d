export { mayAccess, requireAgentAccess } from './access.ts'
export { agentRecord } from './agent-record.ts'
export { applyDuePolicy, cancelPolicyChange } from './change-agent.ts'
export { changeStates, quarantineAgent, type StateOutcome } from './change-states.ts'
export type { AgentsContext } from './context.ts'
export { type AgentKeyring, authenticateAgent, openAgentKeyring } from './credentials.ts'
export { type FindAgent, openAgentDirectory } from './find-agent.ts'
export {
  deactivateAgentsOfPlatform,
  raiseAgentsToTier1,
  selectAgentIdsOfOwner,
  setAgentsTier,
} from './group-store.ts'
export { normaliseHandle } from './handle.ts'
export { serveAgents } from './routes.ts'
export type { StateAct } from './states.ts'
export { type Agent, lockAgent } from './store.ts'
