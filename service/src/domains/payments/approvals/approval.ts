import type {
  ApprovalKind,
  Approval as ApprovalRecord,
  ApprovalRule,
  ApprovalStatus,
  approve,
  Evidence,
  PolicyLayer,
  ResponseOf,
} from '@batua/contract'
import type { Uuid } from '../../../kernel/ids.ts'
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
  /** The payment or the hold that was made on approval. */
  readonly madeId: Uuid | null
  /** Why the owner rejected it, in the owner's words; null without a reason. */
  readonly rejectionReason: string | null
}

/** Who approves, and the proof that a passkey of the person confirmed it; null without a passkey. */
export interface Approver {
  readonly actor: Actor
  readonly evidence: Evidence | null
}

/** The decision about an approval. */
export interface Decision extends Approver {
  readonly status: 'approved' | 'rejected'
  /** The payment or the hold that was made on approval. */
  readonly madeId: Uuid | null
  readonly rejectionReason?: string | null
}

/** The result of an executor: the decided approval, and what the response shows with it. */
export interface Approved {
  readonly approval: Approval
  readonly made: Omit<ResponseOf<typeof approve>, keyof ApprovalRecord>
}

/**
 * Executes what an owner approves. Its command locks the agent's account, reads it, checks with
 * `openApproval` that the approval still waits, decides everything again, posts, and ends with `closeApproval`: one
 * commit.
 */
export type Executor = (approval: Approval, approver: Approver) => Command<Approved>

/** The executor of each kind. */
export type Executors = Readonly<Partial<{ [Kind in ApprovalKind]: Executor }>>
