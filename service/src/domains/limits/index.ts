/** The policy engine: what the layers of controls allow. */
export {
  type AgentFacts,
  type AgentPolicyCache,
  type AgentStops,
  NEVER_STOPPED,
  openAgentPolicyCache,
  stopsOfRow,
} from './agent-facts.ts'
export {
  appCap,
  appReads,
  checkAppCap,
  countAppSpend,
  refuseApprovalOf,
  refuseEndedApp,
  returnToApp,
} from './app-cap.ts'
export {
  type AppView,
  connectedApps,
  noteAppUse,
  noteRedeemed,
  openAppCounts,
  selectApp,
  selectAppByKey,
  selectAppOfGrant,
  selectApps,
  unredeemedApps,
} from './app-store.ts'
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
export {
  type AppKey,
  type ConnectedApp,
  isOpen,
  keyOfApp,
  scopesOf,
  spentToday,
} from './connected-app.ts'
export {
  OPEN_POLICY,
  POLICY_COLUMNS,
  policyOf,
  policyValues,
  type SpendPolicy,
  selectControls,
  selectTierLimits,
  TIER_COLUMNS,
  type TierLimits,
  tierValues,
} from './controls.ts'
export { countRelease, releaseReads } from './count-release.ts'
export { AGENT_ROWS, lockAgentsForChange, OWNER_POLICY_ROWS, TIER_ROWS } from './covered-tables.ts'
export { decidePayee, maxAmountNow } from './decide.ts'
export {
  type ControlChange,
  changesBetween,
  layersFrom,
  shownVersion,
  tierNamed,
} from './effective-policy.ts'
export { type Most, type PayerFacts, payMost } from './exposure/pay-most.ts'
export { type PayerRow, readPayers } from './exposure/read-payers.ts'
export {
  countVersions,
  policyVersionAt,
  type ReadVersion,
  selectDecidingVersions,
  selectVersionAt,
  selectVersions,
} from './history/read-versions.ts'
export {
  actorOfRow,
  beginHistories,
  recordPolicyVersions,
  recordPresentPolicy,
} from './history/record-versions.ts'
export { VERSION_ROWS } from './history/version-rows.ts'
export type { Layer, Limit } from './layers.ts'
export { type LimitUsage, limitUsages, remaining, shownIn } from './limit-usage.ts'
export { checkLimits, countSpend, limitPhases, makeExact, type Spend } from './limits.ts'
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
  dueSubjects,
  type PendingJson,
  type PolicySubject,
  pendingFromJson,
  pendingOf,
  replacePending,
} from './pending-store.ts'
export { type OwnerPolicyState, selectOwnerPolicy, selectReceivers } from './policy-store.ts'
export { type Usage, type UsageOf, usageCommand } from './read-usage.ts'
export { type ReversedSpend, reverseSpend, reverseSpendPhases, reverseSpendReads } from './reverse-spend.ts'
export { decidePolicy, type PolicyChange, policyRecord } from './spend-policy.ts'
export { approvalNeeded, type Threshold } from './thresholds.ts'
