import type {
  AgentStatus,
  InsufficientBalanceDetails,
  PolicyControl,
  PolicyLayer,
  PolicyRefusal,
} from '../api/types.ts'

/**
 * What the service says of an error beside its message, by the code; amounts in INR. Where everything is optional, it
 * depends on the route.
 */
export interface ErrorDetails {
  insufficient_balance: InsufficientBalanceDetails
  /** The limit that refused, and what would pass now. */
  spend_limit_exceeded: PolicyRefusal
  /** `escrow_above`: more than this has to go through an escrow hold. */
  escrow_required: PolicyRefusal & { escrow_above: number }
  /** The state of the agent that would send. */
  policy_denied: { status: AgentStatus }
  /** The payee rule that refused. */
  authorization_error: { rule?: PolicyControl; layer?: PolicyLayer }
  /** What was done with this key; empty while that is still running, and when the key went with another request. */
  idempotency_error: MadeEarlier & { amount?: number; agent_id?: string }
  /** What is in the way. */
  conflict: MadeEarlier & ConflictDetails
  /** `outcome: 'unknown'`: it may have been done; look it up before repeating it. */
  service_unavailable: { outcome?: 'unknown' }
}

/** What the earlier call made, named so that a client that lost its answer recovers. */
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
  /** Who has this phone or PAN already. */
  owner_id?: string
  /** What can still be refunded, and of what. */
  remaining?: number
  refunded_total?: number
  amount?: number
  /** For whom an escrow is held. */
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
