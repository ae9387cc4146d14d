import type {
  ApprovalKind,
  Approval as ApprovalRecord,
  ApprovalStatus,
  approve,
  PolicyLayer,
  ResponseOf,
} from '@batua/contract'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Paise } from '../../../kernel/money.ts'
import type { Command } from '../../../ledger/index.ts'
import type { Actor } from '../../../operations/act.ts'

/** Which approval: the agent's id leads, because it says where the row lives. */
export interface ApprovalKey {
  readonly agentId: Uuid
  readonly id: Uuid
}

/** What an agent asks its owner for. */
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
  /** The layer whose threshold asks. */
  readonly layer: PolicyLayer
  /** What else has to be known to do it, in JSON; null for a payment. */
  readonly terms: unknown
}

/** A request and what became of it. */
export interface Approval extends ApprovalRequest, ApprovalKey {
  readonly rule: 'require_human_approval_above'
  readonly status: ApprovalStatus
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly decidedAt: Date | null
  /** The payment or the hold that was made of it. */
  readonly madeId: Uuid | null
}

/** What somebody decided of an approval. */
export interface Decision {
  readonly status: 'approved' | 'rejected'
  /** The payment or the hold that was made of it. */
  readonly madeId: Uuid | null
  readonly actor: Actor
}

/** What an executor did: the approval as it now stands, and what the answer shows beside it. */
export interface Approved {
  readonly approval: Approval
  readonly made: Omit<ResponseOf<typeof approve>, keyof ApprovalRecord>
}

/**
 * Does what an owner, the actor, approves. Its command takes the agent's account, reads it, asks `openApproval`
 * whether the approval still waits, decides everything again, posts, and ends with `closeApproval`: one commit.
 */
export type Executor = (approval: Approval, actor: Actor) => Command<Approved>

/** Who does which kind. */
export type Executors = Readonly<Partial<{ [Kind in ApprovalKind]: Executor }>>
