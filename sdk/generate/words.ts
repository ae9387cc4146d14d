import {
  AGENT_STATUSES,
  APPROVAL_STATUSES,
  AUDIT_ACTION_NAMES,
  CAPABILITIES,
  ERROR_CODES,
  ESCROW_STATUSES,
  EVENT_NAMES,
  KYC_STATUSES,
  MEMBER_ROLES,
  POLICY_CONTROLS,
  POLICY_LAYERS,
  RISK_RULES,
  SANDBOX_OUTCOMES,
  TIERS,
  TRANSACTION_STATUSES,
  TRANSACTION_TYPES,
  VERIFY_FAILURES,
} from '@batua/contract'

/** Enumerations that callers use in their code. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  ErrorCode: ERROR_CODES,
  EventName: EVENT_NAMES,
  PolicyControl: POLICY_CONTROLS,
  PolicyLayer: POLICY_LAYERS,
  AgentStatus: AGENT_STATUSES,
  ApprovalStatus: APPROVAL_STATUSES,
  AuditAction: AUDIT_ACTION_NAMES,
  Capability: CAPABILITIES,
  EscrowStatus: ESCROW_STATUSES,
  KycStatus: KYC_STATUSES,
  MemberRole: MEMBER_ROLES,
  RiskRule: RISK_RULES,
  SandboxOutcome: SANDBOX_OUTCOMES,
  Tier: TIERS,
  TransactionStatus: TRANSACTION_STATUSES,
  TransactionType: TRANSACTION_TYPES,
  VerifyFailure: VERIFY_FAILURES,
}

const NAMES = new Map(Object.entries(WORDS).map(([name, words]) => [inOrder(words), name]))

/** The type of such a value: its name if it has one. */
export function wordType(words: readonly unknown[]): string {
  return NAMES.get(inOrder(words)) ?? union(words)
}

export function wordDeclarations(): string[] {
  return Object.entries(WORDS).flatMap(([name, words]) =>
    // A filter offers the events by name, so their names are also a value.
    name === 'EventName' ? eventNames() : [`export type ${name} = ${union(words)}`],
  )
}

function eventNames(): string[] {
  const names = EVENT_NAMES.map(name => JSON.stringify(name)).join(', ')
  return [
    `/** The names of all events. */\nexport const EVENT_NAMES = [${names}] as const`,
    'export type EventName = (typeof EVENT_NAMES)[number]',
  ]
}

function union(words: readonly unknown[]): string {
  return words.map(word => JSON.stringify(word)).join(' | ')
}

function inOrder(words: readonly unknown[]): string {
  return words.map(String).toSorted().join()
}
