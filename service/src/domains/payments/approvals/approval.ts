import {
  type ApprovalKind,
  type Approval as ApprovalRecord,
  type ApprovalRule,
  type ApprovalStatus,
  type approve,
  ESCROW_AUTO_ACTIONS,
  type Evidence,
  type PaymentContext,
  type PolicyLayer,
  type ResponseOf,
} from '@batua/contract'
import type { AppIdentity } from '../../../http/caller.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import type { Paise } from '../../../kernel/money.ts'
import type { Command } from '../../../ledger/index.ts'
import type { Actor } from '../../../operations/facts.ts'

/** The key of an approval. The agent's id comes first, because the row is stored by it. */
export interface ApprovalKey {
  readonly agentId: Uuid
  readonly id: Uuid
}

/** What an agent requests its owner's approval for. */
export interface ApprovalRequest {
  readonly agentId: Uuid
  readonly kind: ApprovalKind
  /** null: a hold that names no recipient. */
  readonly payeeId: Uuid | null
  readonly amountPaise: Paise
  readonly feePaise: Paise
  readonly reference: string | null
  readonly note: string | null
  readonly idempotencyKey: string | null
  readonly uniqueReference: boolean
  readonly rule: ApprovalRule
  /** The layer whose threshold requires the approval; `agent` if the agent asked for it. */
  readonly layer: PolicyLayer
  /** Further terms of the request, in JSON, and the version of the policy that requires the approval. */
  readonly terms: unknown
}

/** A request for approval and its outcome. */
export interface Approval extends ApprovalRequest, ApprovalKey {
  readonly status: ApprovalStatus
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly decidedAt: Date | null
  /** What was made on approval: see `MADE`. */
  readonly madeId: Uuid | null
  /** Why the owner rejected it, in the owner's words; null without a reason. */
  readonly rejectionReason: string | null
}

/** Who approves, and the proof that a passkey of the person confirmed it; null without a passkey. */
export interface Approver {
  readonly actor: Actor
  readonly evidence: Evidence | null
}

/** The field that names what an approved request made, and the prefix of its id. */
export const MADE = {
  payment: { field: 'payment_id', prefix: 'pay' },
  escrow_hold: { field: 'escrow_id', prefix: 'esc' },
  authorization: { field: 'authorization_id', prefix: 'ath' },
} as const satisfies Record<ApprovalKind, { readonly field: string; readonly prefix: string }>

/** What was made, by its field; null while nothing was. */
export function madeBy(kind: ApprovalKind, madeId: Uuid | null): Record<string, string | null> {
  const { field, prefix } = MADE[kind]
  return { [field]: madeId === null ? null : formatId(prefix, madeId) }
}

/** What was made in the fields of all kinds, as records and events show it. */
export function madeFields({ kind, madeId }: Pick<Approval, 'kind' | 'madeId'>): {
  readonly payment_id: string | null
  readonly escrow_id: string | null
  readonly authorization_id: string | null
} {
  return { payment_id: null, escrow_id: null, authorization_id: null, ...madeBy(kind, madeId) }
}

/** The decision about an approval. */
export interface Decision extends Approver {
  readonly status: 'approved' | 'rejected'
  /** What was made on approval: see `MADE`. */
  readonly madeId: Uuid | null
  readonly rejectionReason?: string | null
}

/** The result of an executor: the decided approval, and what the response shows with it. */
export interface Approved {
  readonly approval: Approval
  readonly made: Made
  /** What else the response shows, which is signed after the commit. */
  readonly signed?: () => Promise<Made>
}

type Made = Omit<ResponseOf<typeof approve>, keyof ApprovalRecord>

/**
 * Executes what an owner approves. Its command locks the agent's account, reads it, checks with
 * `openApproval` that the approval still waits, decides everything again, posts, and ends with `closeApproval`: one
 * commit.
 */
export type Executor = (approval: Approval, approver: Approver) => Command<Approved>

/** The executor of each kind. */
export type Executors = Readonly<Partial<{ [Kind in ApprovalKind]: Executor }>>

/** The terms of a hold that its approval stores besides the amount and the reference, in JSON. */
export interface HoldTerms {
  readonly to_agent_id: Uuid | null
  readonly attestor_agent_id: Uuid | null
  readonly timeout_ms: number | null
  readonly auto_action: 'refund' | 'release' | null
}

/** The terms of an authorization that its approval stores besides the amount and the reference, in JSON. */
export interface AuthorizationTerms {
  /** For how long it is open, in seconds. */
  readonly expires_in: number
  /** The key that signs vouchers, base64. */
  readonly voucher_key: string | null
}

/** What an approval stores besides the columns of every request. */
export function termsOf(
  hold: HoldTerms | AuthorizationTerms | null,
  context: PaymentContext | null,
  app: AppIdentity | null,
): object {
  return {
    ...hold,
    ...(context !== null && { context }),
    ...(app !== null && { app: { id: app.id, name: app.name } }),
  }
}

/** The context of the request and the app that made it. */
export function termsIn({ terms }: { readonly terms: unknown }): {
  readonly context: PaymentContext | null
  readonly app: AppIdentity | null
} {
  return { context: contextOf(terms), app: appOf(terms) }
}

/** The app that made the request; null: the agent itself or its platform did. */
export function appOf(terms: unknown): AppIdentity | null {
  if (typeof terms !== 'object' || terms === null || !('app' in terms)) return null
  const { id, name }: Partial<AppIdentity> = Object(terms.app)
  return id === undefined || name === undefined ? null : { id, name }
}

/** The terms of a hold; null where the JSON is of another kind, or missing. */
export function holdTerms(terms: unknown): HoldTerms | null {
  if (!isHoldTerms(terms)) return null
  const { to_agent_id, attestor_agent_id, timeout_ms, auto_action } = terms
  return { to_agent_id, attestor_agent_id, timeout_ms, auto_action }
}

/** The terms of an authorization; null where the JSON is of another kind, or missing. */
export function authorizationTerms(terms: unknown): AuthorizationTerms | null {
  if (typeof terms !== 'object' || terms === null) return null
  const { expires_in, voucher_key }: Partial<Record<string, unknown>> = { ...terms }
  if (typeof expires_in !== 'number') return null
  return { expires_in, voucher_key: typeof voucher_key === 'string' ? voucher_key : null }
}

/** The context of the request; null if it had none. */
export function contextOf(terms: unknown): PaymentContext | null {
  if (typeof terms !== 'object' || terms === null || !('context' in terms)) return null
  const { context } = terms
  return typeof context === 'object' && context !== null ? context : null
}

/** What an approval stores, with the version of the policy that requires it. */
export function withPolicyVersion(terms: unknown, policyVersion: string): object {
  return { ...(typeof terms === 'object' ? terms : null), policy_version: policyVersion }
}

/** The version of the policy that requires the approval; null of an approval of an earlier release. */
export function policyVersionOf(terms: unknown): string | null {
  if (typeof terms !== 'object' || terms === null || !('policy_version' in terms)) return null
  return typeof terms.policy_version === 'string' ? terms.policy_version : null
}

function isHoldTerms(terms: unknown): terms is HoldTerms {
  if (typeof terms !== 'object' || terms === null) return false
  const { to_agent_id, attestor_agent_id, timeout_ms, auto_action }: Partial<Record<string, unknown>> = {
    ...terms,
  }
  return (
    isNullOr(to_agent_id, value => typeof value === 'string') &&
    isNullOr(attestor_agent_id, value => typeof value === 'string') &&
    isNullOr(timeout_ms, value => typeof value === 'number') &&
    isNullOr(auto_action, value => ESCROW_AUTO_ACTIONS.some(action => action === value))
  )
}

function isNullOr(value: unknown, is: (value: unknown) => boolean): boolean {
  return value === null || is(value)
}
