/** The policy engine: what the layers of controls allow. */
export { type AgentFacts, type AgentPolicyCache, openAgentPolicyCache } from './agent-facts.ts'
export {
  applyDue,
  type Cooldown,
  changePolicy,
  frozenIncrease,
  LIMIT_INCREASES,
  type PendingChange,
  type PolicyState,
  pendingRecord,
  policyFacts,
  withoutChange,
} from './change-policy.ts'
export type { Layer } from './controls.ts'
export { countRelease, releaseReads } from './count-release.ts'
export { AGENT_ROWS, lockAgentsForChange, OWNER_POLICY_ROWS, TIER_ROWS } from './covered-tables.ts'
export { decidePayee, type LimitUsage, limitUsages, maxAmountNow, remaining } from './decide.ts'
export {
  checkLimits,
  countSpend,
  factsOf,
  limitPhases,
  makeExact,
  planExactly,
  type Spend,
} from './limits.ts'
export {
  agentCanPayNobody,
  agentsCanPayNobody,
  changesPayees,
  isPayeeList,
  type PayeeTimeline,
  payableFrom,
  payeeTimeline,
  type Receivers,
} from './payee-warnings.ts'
export {
  type DueSubject,
  type PendingJson,
  pendingFromJson,
  pendingOf,
  replacePending,
  selectDueSubjects,
} from './pending-store.ts'
export {
  POLICY_COLUMNS,
  type PolicyColumns,
  policyColumnsOf,
  policyFromColumns,
  policyValues,
} from './policy-columns.ts'
export { type OwnerPolicyState, selectOwnerPolicy, selectReceivers } from './policy-store.ts'

export { type ReversedSpend, reverseSpend, reverseSpendReads } from './reverse-spend.ts'
export {
  decidePolicy,
  OPEN_POLICY,
  type PolicyChange,
  policyRecord,
  type SpendPolicy,
} from './spend-policy.ts'
export { approvalNeeded, type Threshold } from './thresholds.ts'
