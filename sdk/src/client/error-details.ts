import type {
  AgentStatus,
  IdempotencyDetails,
  InsufficientBalanceDetails,
  PolicyControl,
  PolicyLayer,
  PolicyRefusal,
} from '../api/types.ts'

/** The details of an error, by its code; amounts in INR. Where everything is optional, it depends on the route. */
export interface ErrorDetails {
  insufficient_balance: InsufficientBalanceDetails
  /** The limit that refused, and the amount that would pass now. */
  spend_limit_exceeded: PolicyRefusal
  /** `escrow_above`: a greater amount must use an escrow hold. */
  escrow_required: PolicyRefusal & { escrow_above: number }
  /** The state of the agent that would send. */
  policy_denied: { status: AgentStatus }
  /** The payee rule that refused. */
  authorization_error: { rule?: PolicyControl; layer?: PolicyLayer }
  /** What was made with this key; empty while that request is running, and if the header came with another body. */
  idempotency_error: IdempotencyDetails
  /** The cause of the conflict. */
  conflict: MadeEarlier & ConflictDetails
  /** `outcome: 'unknown'`: it may have been done; look it up before repeating it. */
  service_unavailable: { outcome?: 'unknown' }
}

/** What the earlier call made, so that a client that lost its response can recover. */
interface MadeEarlier {
  /** null while it waits for approval. */
  payment_id?: string | null
  refund_id?: string
  /** null while it waits for approval. */
  escrow_id?: string | null
  transaction_id?: string
  approval_id?: string
  status?: string
}

interface ConflictDetails {
  /** The owner that has this phone or PAN. */
  owner_id?: string
  /** The amount that can still be refunded, and the amount paid. */
  remaining?: number
  refunded_total?: number
  amount?: number
  /** The recipient of an escrow. */
  to_agent_id?: string
  agent_id?: string
  org_id?: string
  treasury_agent_id?: string
  max_agents?: number
  agents_with_balance?: number
  agents_with_escrow?: number
  agents_with_payout?: number
  revoked_at?: string
  webhook_disabled_at?: string
  reason?: string
}
