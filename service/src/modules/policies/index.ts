/** The policy engine: what the layers of controls allow. */
export { type AgentFacts, type AgentRegister, openAgentRegister } from './agent-facts.ts'
export { type Controls, type Layer, watchesCounterparties } from './controls.ts'
export { countCounterparty } from './counterparties.ts'
export { decidePayee } from './decide.ts'
export { checkLimits, limitNeeds, type Spend } from './limits.ts'
