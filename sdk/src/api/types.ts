// Generated from the contract by sdk/generate.ts; not to be edited.
/* oxlint-disable max-lines */

export type ErrorCode =
  | 'validation_error'
  | 'authentication_error'
  | 'insufficient_balance'
  | 'authorization_error'
  | 'spend_limit_exceeded'
  | 'escrow_required'
  | 'policy_denied'
  | 'kyc_required'
  | 'passkey_required'
  | 'not_found'
  | 'method_not_allowed'
  | 'idempotency_error'
  | 'conflict'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'rate_limit_exceeded'
  | 'internal_error'
  | 'gateway_error'
  | 'service_unavailable'

/** The names of all events. */
export const EVENT_NAMES = [
  'agent.funded',
  'agent.funding.failed',
  'agent.funding.reversed',
  'agent.payment.sent',
  'agent.payment.received',
  'agent.payment.refunded',
  'agent.escrow.held',
  'agent.escrow.released',
  'agent.escrow.refunded',
  'agent.authorization.created',
  'agent.authorization.captured',
  'agent.authorization.closing',
  'agent.authorization.closed',
  'agent.settlement.completed',
  'agent.withdrawal.completed',
  'agent.withdrawal.failed',
  'agent.approval.requested',
  'agent.approval.approved',
  'agent.approval.rejected',
  'agent.approval.expired',
  'agent.status.changed',
  'agent.app.connected',
  'certificate.revoked',
  'owner.kyc.updated',
  'owner.link.updated',
  'risk.alert.opened',
  'webhook.test',
] as const

export type EventName = (typeof EVENT_NAMES)[number]

export type PolicyControl =
  | 'spend_limit_per_tx'
  | 'spend_limit_hourly'
  | 'spend_limit_daily'
  | 'spend_limit_monthly'
  | 'allowed_payees'
  | 'blocked_payee_agents'
  | 'per_counterparty_daily_limit'
  | 'max_counterparties_per_hour'
  | 'require_escrow_above'
  | 'require_human_approval_above'

export type PolicyLayer = 'tier' | 'owner' | 'org' | 'agent'

export type AgentStatus = 'active' | 'paused' | 'quarantined' | 'frozen' | 'deactivated'

export type ApprovalStatus = 'pending_approval' | 'approved' | 'rejected' | 'expired'

export type AuditAction =
  | 'platform.created'
  | 'platform.updated'
  | 'platform.deleted'
  | 'platform.secret_rotated'
  | 'platform.webhook_secret_rotated'
  | 'webhook.retried'
  | 'webhook.tested'
  | 'owner.created'
  | 'owner.kyc_submitted'
  | 'owner.kyc_pending'
  | 'owner.kyc_decided'
  | 'owner.bank_account_changed'
  | 'owner.bank_account_change_cancelled'
  | 'owner.link_accepted'
  | 'owner.link_declined'
  | 'owner.link_invited'
  | 'owner.tier_changed'
  | 'owner.policy_changed'
  | 'owner.policy_change_cancelled'
  | 'owner.policy_change_applied'
  | 'owner.frozen'
  | 'owner.unfrozen'
  | 'agent.created'
  | 'agent.sealed'
  | 'agent.updated'
  | 'agent.policy_change_cancelled'
  | 'agent.policy_change_applied'
  | 'agent.key_rotated'
  | 'agent.tier_changed'
  | 'agent.paused'
  | 'agent.resumed'
  | 'agent.quarantined'
  | 'agent.frozen'
  | 'agent.restored'
  | 'agent.deactivated'
  | 'certificate.issued'
  | 'certificate.revoked'
  | 'rows.completed'
  | 'session.started'
  | 'session.ended'
  | 'passkey.enrolled'
  | 'passkey.removed'
  | 'passkey.kept'
  | 'passkey.used'
  | 'notifications.changed'
  | 'push_subscription.created'
  | 'push_subscription.ended'
  | 'payment.completed'
  | 'context.recorded'
  | 'payment.refunded'
  | 'nonce.consumed'
  | 'nonce.restored'
  | 'listing.created'
  | 'listing.ended'
  | 'approval.requested'
  | 'approval.approved'
  | 'approval.rejected'
  | 'approval.expired'
  | 'allowance.created'
  | 'allowance.used'
  | 'allowance.ended'
  | 'app.connected'
  | 'app.spent'
  | 'app.used'
  | 'app.ended'
  | 'page.requested'
  | 'funding.opened'
  | 'funding.completed'
  | 'funding.failed'
  | 'funding.reversed'
  | 'funding.refunded'
  | 'funding.refund_failed'
  | 'escrow.held'
  | 'escrow.released'
  | 'escrow.refunded'
  | 'authorization.created'
  | 'authorization.captured'
  | 'authorization.closing'
  | 'authorization.closed'
  | 'authorization.voided'
  | 'payout.requested'
  | 'payout.completed'
  | 'payout.failed'
  | 'payout.reversed'
  | 'org.created'
  | 'org.member_added'
  | 'org.member_changed'
  | 'org.budget_change_applied'
  | 'org.member_removed'
  | 'org.treasury_named'
  | 'org.allocated'
  | 'tier.changed'
  | 'risk.alert_opened'
  | 'risk.alert_reviewed'
  | 'signing_key.created'
  | 'signing_key.revoked'
  | 'sandbox.clock_moved'

export type Capability = 'pay' | 'receive' | 'escrow' | 'verify'

export type EscrowStatus = 'held' | 'released' | 'refunded'

export type KycStatus = 'none' | 'pending' | 'verified' | 'failed'

export type MemberRole = 'treasury' | 'admin' | 'worker'

export type RiskRule =
  | 'velocity_spike'
  | 'structuring'
  | 'circular_flow'
  | 'new_payees'
  | 'repeated_refusals'
  | 'failed_authentication'
  | 'login_guessing'
  | 'pass_through'

export type SandboxOutcome =
  | 'success'
  | 'failure'
  | 'expire'
  | 'drop'
  | 'pending'
  | 'duplicate'
  | 'late'
  | 'forged'
  | 'wrong_amount'
  | 'wrong_currency'
  | 'out_of_order'
  | 'unnotified'
  | 'double_payment'
  | 'chargeback'
  | 'chargeback_created'
  | 'chargeback_won'
  | 'flagged'
  | 'late_notice'
  | 'reserialised'
  | 'rotated_secret'
  | 'unknown_type'
  | 'unknown_order'
  | 'refund_pending'
  | 'refund_failed'

export type Tier = 'sandbox' | 'tier1' | 'tier2' | 'tier3'

export type TransactionStatus = 'pending' | 'completed' | 'failed' | 'reversed'

export type TransactionType = 'fund' | 'pay_out' | 'pay_in' | 'withdraw' | 'settlement' | 'fee'

export type VerifyFailure =
  | 'transaction_not_found'
  | 'transaction_not_completed'
  | 'not_payee'
  | 'payee_mismatch'
  | 'payer_mismatch'
  | 'insufficient_amount'
  | 'nonce_mismatch'
  | 'nonce_already_used'

/** For routes that take nothing. */
export type NoInput = Record<string, never>

/** Which page of a list; `items` and `pages` go through all of them. */
export interface PageInput {
  /** The page size, 1 to 100. */
  limit?: number
  /** How many of the newest entries to skip. */
  offset?: number
  /** The `next_cursor` of the previous page. */
  cursor?: string
}

export interface CreatePlatformInput {
  /** The name of the platform. */
  name: string
  /** The e-mail address of the platform’s operator. */
  email?: string
  /** The address of webhooks: http or https, in live mode https at a public address, without user name and password. */
  webhook_url?: string
}

export interface DeletePlatformInput {
  platform_id: string
}

export interface GetPlatformInput {
  platform_id: string
}

export interface GetRequestUsageInput {
  /** How many minutes, the present one included. */
  minutes?: number
}

export interface ListRequestsInput extends PageInput {
  /** Only requests with such a status. */
  status_class?: '2xx' | '3xx' | '4xx' | '5xx'
  /** Only requests with this method. */
  method?: string
  /** Only requests of this route. */
  route?: string
  /** Only requests with this error code. */
  code?: ErrorCode
}

export interface RotatePlatformSecretInput {
  platform_id: string
}

export interface RotateWebhookSecretInput {
  platform_id: string
}

export interface UpdatePlatformInput {
  platform_id: string
  /** The new name. */
  name?: string
  /** The e-mail address of the platform’s operator; null for none. */
  email?: string | null
  /** The address of webhooks: http or https, in live mode https at a public address, without user name and password. */
  webhook_url?: string | null
}

export interface CancelBankAccountChangeInput {
  owner_id: string
}

export interface CreateOwnerInput {
  /** The legal name, as the bank knows it. */
  name: string
  /** The phone that the person logs in with. */
  phone: string
  /** The PAN: five letters, four digits, one letter. */
  pan: string
  /** E-mail address. */
  email?: string
}

export interface GetOwnerInput {
  owner_id: string
}

export interface InviteOwnerInput {
  owner_id: string
}

export interface ListOwnersInput extends PageInput {
  /** Only the owner with this id, or owners whose name contains it, in any case, among the newest 10,000. */
  search?: string
}

export interface SubmitKycInput {
  owner_id: string
  /** The account number, 9 to 18 digits. */
  bank_account: string
  /** The IFSC of the branch: four letters, a zero, six letters or digits. */
  bank_ifsc: string
}

export interface CreateAgentInput {
  /** The display name. */
  name: string
  /** A handle has 3 to 32 of the characters a-z, 0-9, _ and -, starts with a letter, and is not an agent id. */
  handle: string
  /** The owner of the agent. */
  owner_id: string
  /** The agent’s Ed25519 public key (base64 of the 32 raw bytes), if the caller keeps the private key. */
  public_key?: string
  /** The maximum of one payment in INR, without its fee. */
  spend_limit_per_tx?: number | null
  /** The maximum in INR in any 60 minutes. */
  spend_limit_hourly?: number | null
  /** The maximum in INR in a calendar day in IST. */
  spend_limit_daily?: number | null
  /** The maximum in INR in a calendar month in IST. */
  spend_limit_monthly?: number | null
  /** The allowed payees: `["network"]` for any active agent, otherwise a list of agent ids; `[]` for none. */
  allowed_payees?: string[] | null
  /** Agents that may not be paid, by their ids. */
  blocked_payee_agents?: string[] | null
  /** The maximum in INR to one agent in a calendar day in IST. */
  per_counterparty_daily_limit?: number | null
  /** The maximum number of different payees in any 60 minutes. */
  max_counterparties_per_hour?: number | null
  /** A payment above this amount in INR must use escrow. */
  require_escrow_above?: number | null
  /** A payment above this amount in INR waits for the owner’s approval. */
  require_human_approval_above?: number | null
}

export interface DeactivateAgentInput {
  agent_id: string
}

export interface GetAgentInput {
  agent_id: string
}

export interface GetAgentExistenceInput {
  /** An agent id, or a handle in any case with or without `@`. */
  agent_id: string
}

export interface GetAgentOverviewInput {
  agent_id: string
}

export interface GetHandleAvailabilityInput {
  /** The handle, in any case, with or without `@`. */
  handle: string
}

export interface ListAgentsInput extends PageInput {
  /** Only agents in this state. */
  status?: AgentStatus
  /** Only agents of this owner. */
  owner_id?: string
  /** Only the agent with this handle, in any case, with or without `@`. */
  handle?: string
  /** Only agents whose name or handle contains it, in any case, among the newest 10,000 that the other filters select. */
  search?: string
}

export interface PauseAgentInput {
  agent_id: string
}

export interface ResumeAgentInput {
  agent_id: string
}

export interface RotateAgentKeyInput {
  agent_id: string
}

export interface UpdateAgentInput {
  agent_id: string
  /** The new display name. */
  name?: string
  /** The web origins at which the agent sells and buyers may pay it. */
  origins?: string[]
  /** The maximum of one payment in INR, without its fee. */
  spend_limit_per_tx?: number | null
  /** The maximum in INR in any 60 minutes. */
  spend_limit_hourly?: number | null
  /** The maximum in INR in a calendar day in IST. */
  spend_limit_daily?: number | null
  /** The maximum in INR in a calendar month in IST. */
  spend_limit_monthly?: number | null
  /** The allowed payees: `["network"]` for any active agent, otherwise a list of agent ids; `[]` for none. */
  allowed_payees?: string[] | null
  /** Agents that may not be paid, by their ids. */
  blocked_payee_agents?: string[] | null
  /** The maximum in INR to one agent in a calendar day in IST. */
  per_counterparty_daily_limit?: number | null
  /** The maximum number of different payees in any 60 minutes. */
  max_counterparties_per_hour?: number | null
  /** A payment above this amount in INR must use escrow. */
  require_escrow_above?: number | null
  /** A payment above this amount in INR waits for the owner’s approval. */
  require_human_approval_above?: number | null
}

export interface CancelPendingPolicyInput {
  agent_id: string
  /** The control whose pending change is cancelled. */
  control: string
}

export interface EvaluatePolicyInput {
  /** The paying agent. */
  agent_id: string
  /** The payee: an agent id, or a handle in any case with or without `@`. */
  to: string
  /** What the payee would receive, INR, at most two decimals. */
  amount: number
}

export interface GetAgentPolicyInput {
  agent_id: string
  /** A counterparty, by agent id or handle, to see its limits too. */
  to?: string
  /** A moment from the creation of the agent until now. */
  at?: string
}

export interface GetExposureInput {
  agent_id: string
}

export interface ListNamedPayeesInput {
  agent_id: string
}

export interface ListPolicyVersionsInput extends PageInput {
  agent_id: string
}

export interface AddMemberInput {
  org_id: string
  agent_id: string
  /** Its role. */
  role: MemberRole
  /** The most that the member may spend in a month, INR; 0: nothing; null: no budget. */
  budget_limit?: number | null
}

export interface AllocateInput {
  org_id: string
  /** The receiving member. */
  agent_id: string
  /** The amount, INR. */
  amount: number
}

export interface CreateOrganizationInput {
  /** Its name. */
  name: string
  /** Its size class: 5, 20 or 100 agents. */
  tier: 'tier1' | 'tier2' | 'tier3'
  /** The owner. */
  owner_id?: string
}

export interface GetBudgetInput {
  org_id: string
}

export interface GetOrganizationInput {
  org_id: string
}

export interface ListOrganizationTransactionsInput extends PageInput {
  org_id: string
}

export interface ListOrganizationsInput extends PageInput {
  /** Only organizations of this owner. */
  owner_id?: string
}

export interface NameTreasuryInput {
  org_id: string
  agent_id: string
}

export interface RemoveMemberInput {
  org_id: string
  agent_id: string
}

export interface UpdateMemberInput {
  org_id: string
  agent_id: string
  /** Its role. */
  role?: MemberRole
  /** The most that the member may spend in a month, INR; 0: nothing; null: no budget. */
  budget_limit?: number | null
}

export interface CreateFundingInput {
  agent_id: string
  /** What the owner pays, INR, at least 1. */
  amount: number
  /** The payment method; with `link` the owner chooses. */
  method?: 'upi' | 'card' | 'netbanking' | 'link'
}

export interface CreateUpiCollectInput {
  agent_id: string
  /** What the owner pays, INR, at least 1. */
  amount: number
  /** The owner’s UPI id. */
  upi_id?: string
}

export interface GetBalanceInput {
  agent_id: string
}

export interface GetFundingInput {
  agent_id: string
  funding_id: string
}

export interface WithdrawInput {
  agent_id: string
  /** The amount, INR: above 0 and at most the balance; if absent, the whole balance. */
  amount?: number
}

export interface GetPaymentInput {
  /** The paying agent. */
  agent_id: string
  payment_id: string
}

export interface ListPaymentsInput extends PageInput {
  /** The paying agent. */
  agent_id: string
  /** Only the payment made with this key. */
  idempotency_key?: string
  /** Only payments with this reference. */
  reference?: string
}

export interface PayInput {
  /** The paying agent. */
  agent_id: string
  /** The payee: an agent id, or a handle in any case with or without `@`. */
  to: string
  /** What the payee receives, INR, at most two decimals. */
  amount: number
  /** Your own reference, stored unchanged; in pay-per-call the nonce. */
  reference?: string
  /** A note, at most 500 characters. */
  note?: string
  /** One key for each purchase. */
  idempotency_key?: string
  /** If true, the payment is `conflict` if you have already paid this payee with this `reference`, or if such a payment waits for approval. */
  unique_reference?: boolean
  /** If true, the response contains the signed receipt’s `token`. */
  receipt_token?: boolean
  /** If true, the payment waits for the owner’s approval whatever its amount, and whatever she allowed before. */
  require_approval?: boolean
  /** Why the agent spends. */
  context?: {
    purpose?: string
    url?: string
    items?: {
      name: string
      quantity?: number
      /** What the item costs in all, INR. */
      amount?: number
    }[]
    client?: string
  }
}

export interface RefundPaymentInput {
  payment_id: string
  /** The amount to refund, INR; if absent, everything that is left. */
  amount?: number
  /** One key for each refund. */
  idempotency_key?: string
}

export interface AllowConnectRequestInput {
  /** The id of the request, from the address of the consent page. */
  request_id: string
  /** One of your agents. */
  agent_id: string
  /** What it may do. */
  scopes: ('wallet:read' | 'payments:write' | 'approvals:request')[]
  /** The most that it may spend on a calendar day in IST, INR, without fees. */
  daily: number
  /** The most that one payment may be, INR; `daily` if it is absent. */
  per_tx?: number
  /** When it ends by itself. */
  expires_in_days: number
}

export interface DenyConnectRequestInput {
  /** The id of the request, from the address of the consent page. */
  request_id: string
}

export interface EndConnectedAppInput {
  app_id: string
}

export interface GetConnectRequestInput {
  /** The id of the request, from the address of the consent page. */
  request_id: string
}

export interface ListConnectedAppsInput extends PageInput {
  /** Only apps of this agent. */
  agent_id?: string
}

export interface ApproveInput {
  approval_id: string
  /** Lets the agent pay this payee more without asking: what would need approval and fits into what is left of the amount needs none. */
  allow?: {
    /** The most that the payee may get in all without being approved one by one, INR, without fees. */
    amount: number
    until: string
  }
  /** The challenge that was signed. */
  challenge_id?: string
  /** What the browser signed with the options. */
  response?: PasskeyAssertion
}

export interface ChallengeApprovalInput {
  approval_id: string
  /** Lets the agent pay this payee more without asking: what would need approval and fits into what is left of the amount needs none. */
  allow?: {
    /** The most that the payee may get in all without being approved one by one, INR, without fees. */
    amount: number
    until: string
  }
}

export interface CreateAllowanceInput {
  /** One of your agents. */
  agent_id: string
  /** The payee: an agent id, or a handle in any case with or without `@`. */
  to: string
  /** The most that the payee may get in all without being approved one by one, INR, without fees. */
  amount: number
  /** When it ends: in the future, at most 30 days. */
  until: string
}

export interface EndAllowanceInput {
  allowance_id: string
}

export interface GetApprovalInput {
  approval_id: string
}

export interface GetApprovalDetailsInput {
  approval_id: string
}

export interface ListAllowancesInput extends PageInput {
  /** Only allowances of this agent. */
  agent_id?: string
}

export interface ListApprovalsInput extends PageInput {
  /** Only approvals with this status. */
  status?: ApprovalStatus
  /** Only approvals of this agent. */
  agent_id?: string
}

export interface RejectInput {
  approval_id: string
  /** Why, at most 280 characters. */
  reason?: string
}

export interface AuthorizeInput {
  /** The paying agent. */
  agent_id: string
  /** The payee: an agent id, or a handle in any case with or without `@`. */
  to: string
  /** The most that the payee can capture in all, INR. */
  amount: number
  /** For how long it is open, in seconds: 60 to 2592000. */
  expires_in?: number
  /** Your own reference. */
  reference?: string
  /** One key for each authorization. */
  idempotency_key?: string
  /** An Ed25519 public key that you made for this authorization, base64 of its 32 bytes. */
  voucher_key?: string
  /** Why the agent spends. */
  context?: {
    purpose?: string
    url?: string
    items?: {
      name: string
      quantity?: number
      /** What the item costs in all, INR. */
      amount?: number
    }[]
    client?: string
  }
}

export interface CaptureAuthorizationInput {
  authorization_id: string
  /** What is captured in addition, INR. */
  amount?: number
  /** What is captured in all after this request, INR. */
  total?: number
  /** A compact JWS (EdDSA by the `voucher_key`), header `{"alg":"EdDSA","typ":"voucher+jwt"}`, payload `{"jti":authorization_id,"amount":"12.50","nonce":"…"}`; the amount is cumulative. */
  voucher?: string
  /** Whether this is the last capture: the rest goes back at once. */
  final?: boolean
}

export interface CloseAuthorizationInput {
  authorization_id: string
}

export interface GetAuthorizationInput {
  authorization_id: string
}

export interface ListAuthorizationsInput extends PageInput {
  /** The paying agent. */
  agent_id: string
  /** Only authorizations with this status. */
  status?: 'open' | 'closing' | 'closed' | 'expired' | 'voided'
}

export interface VoidAuthorizationInput {
  authorization_id: string
}

export interface AttestEscrowInput {
  escrow_id: string
}

export interface GetEscrowInput {
  escrow_id: string
}

export interface GetEscrowDetailsInput {
  escrow_id: string
}

export interface HoldEscrowInput {
  /** The agent whose money is held. */
  agent_id: string
  /** The amount to hold, INR. */
  amount: number
  /** Your reference. */
  reference?: string
  /** The recipient: an agent id or a handle. */
  to_agent_id?: string
  /** Why the agent spends. */
  context?: {
    purpose?: string
    url?: string
    items?: {
      name: string
      quantity?: number
      /** What the item costs in all, INR. */
      amount?: number
    }[]
    client?: string
  }
}

export interface HoldEscrowWithAttestationInput {
  /** The agent whose money is held. */
  agent_id: string
  /** The amount to hold, INR. */
  amount: number
  /** Your reference. */
  reference?: string
  /** The recipient: an agent id or a handle. */
  to_agent_id?: string
  /** Why the agent spends. */
  context?: {
    purpose?: string
    url?: string
    items?: {
      name: string
      quantity?: number
      /** What the item costs in all, INR. */
      amount?: number
    }[]
    client?: string
  }
  /** The attestor: an agent id or a handle, not the payer. */
  attestor_agent_id: string
}

export interface HoldEscrowWithTimeoutInput {
  /** The agent whose money is held. */
  agent_id: string
  /** The amount to hold, INR. */
  amount: number
  /** Your reference. */
  reference?: string
  /** The recipient: an agent id or a handle. */
  to_agent_id?: string
  /** Why the agent spends. */
  context?: {
    purpose?: string
    url?: string
    items?: {
      name: string
      quantity?: number
      /** What the item costs in all, INR. */
      amount?: number
    }[]
    client?: string
  }
  /** The timeout in hours: more than 0, at most 8760. */
  timeout_hours: number
  /** What happens at the timeout. */
  auto_action?: 'refund' | 'release'
}

export interface ListEscrowsInput extends PageInput {
  /** Only escrows with this status. */
  status?: EscrowStatus
  /** Only escrows of this agent’s money. */
  agent_id?: string
}

export interface RefundEscrowInput {
  escrow_id: string
}

export interface ReleaseEscrowInput {
  escrow_id: string
  /** The recipient: an agent id or a handle. */
  to_agent_id?: string
}

export interface GetSpendingInput {
  agent_id: string
  /** How many days. */
  days?: number
}

export interface GetStatementInput {
  agent_id: string
  /** The first day in IST, or a time; without it the statement begins at the beginning. */
  from_date?: string
  /** The last day in IST, or a time; without it the statement ends now. */
  to_date?: string
  /** The format of the response. */
  format?: 'json' | 'csv' | 'pdf'
}

export interface ListPlatformTransactionsInput extends PageInput {
  /** Only transactions of this agent. */
  agent_id?: string
  /** Only payments and holds that your agents made with this reference. */
  reference?: string
  /** Only transactions of this type. */
  type?: TransactionType
  /** Only transactions with this status. */
  status?: TransactionStatus
  /** The first day in IST, or a time. */
  from_date?: string
  /** The last day in IST, or a time. */
  to_date?: string
}

export interface ListTransactionsInput extends PageInput {
  agent_id: string
  /** Only transactions of this type. */
  type?: TransactionType
  /** Only transactions with this status. */
  status?: TransactionStatus
  /** The first day in IST, or a time. */
  from_date?: string
  /** The last day in IST, or a time. */
  to_date?: string
}

export interface RestoreNonceInput {
  /** The verified id: `pay_` or `txn_`. */
  txn_id: string
  /** The consumed nonce. */
  nonce: string
  /** The `consume_id` of that use. */
  consume_id: string
}

export interface VerifyTransactionInput {
  /** The payment’s id (`pay_`) or a transaction’s id (`txn_`). */
  txn_id: string
  /** The expected payee: an agent id or a handle. */
  expected_payee?: string
  /** The expected payer: an agent id or a handle. */
  expected_payer?: string
  /** The minimum amount, INR; compared with the amount that is left after refunds. */
  expected_amount?: number
  /** The nonce of your price; the payment’s reference must equal it. */
  nonce?: string
  /** If true, consumes the nonce in the same step. */
  consume?: boolean
  /** Your own id for this use. */
  consume_id?: string
}

export interface DeleteListingInput {
  agent_id: string
  listing_id: string
}

export interface ListListingsInput extends PageInput {
  agent_id: string
}

export interface ListSellersInput extends PageInput {
  /** Words that the name, the descriptions or the paths must have; `"…"`, `or` and `-` work. */
  query?: string
}

export interface RegisterListingInput {
  agent_id: string
  /** One of the agent’s origins. */
  origin: string
}

export interface SettleX402PaymentInput {
  /** The version of x402: 2. */
  x402Version: number
  /** The payment as the buyer sent it. */
  paymentPayload: Record<string, unknown>
  /** The price as the seller asks for it. */
  paymentRequirements: Record<string, unknown>
}

export interface VerifyX402PaymentInput {
  /** The version of x402: 2. */
  x402Version: number
  /** The payment as the buyer sent it. */
  paymentPayload: Record<string, unknown>
  /** The price as the seller asks for it. */
  paymentRequirements: Record<string, unknown>
}

export interface GetReceiptInput {
  /** The receipt’s id, or the id of its payment. */
  receipt_id: string
}

export interface VerifyReceiptInput {
  /** The receipt’s id, or the id of its payment. */
  receipt_id: string
}

export interface GetAgentOriginsInput {
  /** A handle in any case with or without `@`, or an agent id. */
  handle: string
}

export interface GetMembershipProofInput {
  /** Whether the proof also names the agent’s platform and organization. */
  affiliation?: boolean
}

export interface GetPublicKeyInput {
  /** The agent’s id or handle. */
  agent_id: string
}

export interface VerifyIdentityInput {
  /** The agent’s id or handle. */
  agent_id: string
}

export interface GetCertificateInput {
  cert_id: string
}

export interface IssueCertificateInput {
  agent_id: string
  /** What the certificate states about the agent. */
  capabilities?: Capability[]
  /** The validity in days. */
  validity_days?: number
}

export interface ListCertificatesInput extends PageInput {
  agent_id: string
  /** Only certificates with this status. */
  status?: 'active' | 'revoked' | 'expired'
}

export interface RevokeCertificateInput {
  cert_id: string
  /** The reason, shown with the certificate. */
  reason?: string
}

export interface RotateCertificateInput {
  cert_id: string
  /** What the certificate states about the agent. */
  capabilities?: Capability[]
}

export interface VerifyCertificateInput {
  cert_id: string
}

export interface GetConsistencyInput {
  /** The earlier tree size, from a checkpoint. */
  from: number
  /** The later tree size, at most that of the newest checkpoint. */
  to: number
}

export interface ListAuditEntriesInput extends PageInput {
  agent_id: string
  /** Only this action. */
  action?: AuditAction
  /** From this IST day or moment on, inclusive. */
  from_date?: string
  /** Up to this IST day or moment, inclusive. */
  to_date?: string
}

export interface VerifyAuditEntryInput {
  audit_id: string
}

export interface GetWebhookDeliveryInput {
  delivery_id: string
}

export interface ListEventsInput extends PageInput {
  /** Only events with this name. */
  event?: EventName
  /** Only events of this agent. */
  agent_id?: string
}

export interface ListWebhookDeliveriesInput extends PageInput {
  /** Only deliveries with this status. */
  status?: 'pending' | 'delivered' | 'failed'
  /** Only deliveries of this event. */
  event?: EventName
}

export interface RetryWebhookDeliveryInput {
  delivery_id: string
}

export interface EndSessionInput {
  session_id: string
}

export interface LogInByPasskeyInput {
  /** What the browser signed with the options. */
  response: PasskeyAssertion
}

export interface LogInPlatformInput {
  platform_id: string
  /** The platform’s secret. */
  platform_secret: string
}

export interface SendAdminOtpInput {
  /** The phone that receives the code. */
  phone: string
}

export interface SendOtpInput {
  /** The phone that receives the code. */
  phone: string
}

export interface VerifyAdminOtpInput {
  /** The phone that received the code. */
  phone: string
  /** The code: six digits. */
  code: string
  /** The code of the authenticator app, if the service requires a second factor. */
  totp?: string
}

export interface VerifyOtpInput {
  /** The phone that received the code. */
  phone: string
  /** The code: six digits. */
  code: string
}

export interface CreatePasskeyInput {
  /** A name for it. */
  name: string
  /** The credential that the browser made with the options. */
  response: PasskeyRegistration
}

export interface DeletePasskeyInput {
  passkey_id: string
}

export interface KeepPasskeyInput {
  passkey_id: string
}

export interface ListPasskeysInput {
  /** `removed`: the removed ones too, which are left out otherwise. */
  include?: 'removed'
}

export interface RequestStepUpInput {
  /** The method and the path with its query of the request that is confirmed. */
  action: string
  /** The body of that request; absent: it has none. */
  body?: Record<string, unknown>
}

export interface AcceptInvitationInput {
  owner_id: string
}

export interface CancelOwnerPendingPolicyInput {
  /** The control whose pending change is cancelled. */
  control: string
  /** The owner; required if the session covers several owners. */
  owner_id?: string
}

export interface DeclineInvitationInput {
  owner_id: string
}

export interface GetOwnerPolicyInput {
  /** The owner; required if the session covers several owners. */
  owner_id?: string
}

export interface GetOwnerStatementInput {
  /** Only the agents of this owner, which must be one of the session’s; any other is `not_found`. */
  owner_id?: string
  /** The first day in IST, or a time; without it the statement begins at the beginning. */
  from_date?: string
  /** The last day in IST, or a time; without it the statement ends now. */
  to_date?: string
  /** The format of the response. */
  format?: 'json' | 'csv' | 'pdf'
}

export interface ListAgentSummariesInput extends PageInput {
  /** Only agents in this state. */
  status?: AgentStatus
}

export type ListBalancesInput = PageInput

export type ListExposureInput = PageInput

export type ListInvitationsInput = PageInput

export interface ListOwnerTransactionsInput extends PageInput {
  /** Only the agents of this owner, which must be one of the session’s; any other is `not_found`. */
  owner_id?: string
  /** Only transactions of this agent. */
  agent_id?: string
  /** Only transactions with this text, in any case, in the names, the reference, the note, the bank’s reference or an id. */
  search?: string
  /** Only transactions of this type. */
  type?: TransactionType
  /** Only transactions with this status. */
  status?: TransactionStatus
  /** The first day in IST, or a time. */
  from_date?: string
  /** The last day in IST, or a time. */
  to_date?: string
}

export interface UpdateOwnerPolicyInput {
  /** The owner; required if the session covers several owners. */
  owner_id?: string
  /** The maximum of one payment in INR, without its fee. */
  spend_limit_per_tx?: number | null
  /** The maximum in INR in any 60 minutes. */
  spend_limit_hourly?: number | null
  /** The maximum in INR in a calendar day in IST. */
  spend_limit_daily?: number | null
  /** The maximum in INR in a calendar month in IST. */
  spend_limit_monthly?: number | null
  /** The allowed payees: `["network"]` for any active agent, otherwise a list of agent ids; `[]` for none. */
  allowed_payees?: string[] | null
  /** Agents that may not be paid, by their ids. */
  blocked_payee_agents?: string[] | null
  /** The maximum in INR to one agent in a calendar day in IST. */
  per_counterparty_daily_limit?: number | null
  /** The maximum number of different payees in any 60 minutes. */
  max_counterparties_per_hour?: number | null
  /** A payment above this amount in INR must use escrow. */
  require_escrow_above?: number | null
  /** A payment above this amount in INR waits for the owner’s approval. */
  require_human_approval_above?: number | null
}

export interface CreatePushSubscriptionInput {
  /** The address at the push service; https. */
  endpoint: string
  /** The keys that notifications are encrypted for. */
  keys: {
    p256dh: string
    auth: string
  }
}

export interface EndPushSubscriptionInput {
  subscription_id: string
}

export interface UpdateNotificationSettingsInput {
  /** Which notifications are sent, and how. */
  kinds?: {
    approval_requested?: {
      push?: boolean
      message?: boolean
    }
    approval_expired?: {
      push?: boolean
      message?: boolean
    }
    agent_stopped?: {
      push?: boolean
      message?: boolean
    }
    payout_completed?: {
      push?: boolean
      message?: boolean
    }
    payout_failed?: {
      push?: boolean
      message?: boolean
    }
    funding_reversed?: {
      push?: boolean
      message?: boolean
    }
    bank_account_checked?: {
      push?: boolean
      message?: boolean
    }
    app_connected?: {
      push?: boolean
      message?: boolean
    }
  }
  /** The language of the texts. */
  language?: 'en' | 'hi'
}

export interface BulkFreezeAgentsInput {
  /** The agents by their ids, 1 to 500, each once. */
  agent_ids: string[]
}

export interface BulkQuarantineAgentsInput {
  /** The agents by their ids, 1 to 500, each once. */
  agent_ids: string[]
}

export interface BulkRestoreAgentsInput {
  /** The agents by their ids, 1 to 500, each once. */
  agent_ids: string[]
}

export interface FreezeOwnerInput {
  owner_id: string
}

export interface GetOwnerAccountInput {
  owner_id: string
}

export interface GetRiskAlertInput {
  alert_id: string
}

export interface GetRiskScoreInput {
  agent_id: string
}

export interface ListAllOwnersInput extends PageInput {
  /** Only owners in this state. */
  status?: 'active' | 'frozen'
  /** Only owners with this bank verification status. */
  kyc_status?: KycStatus
  /** Only owners of this tier. */
  tier?: Tier
}

export interface ListDifferencesInput extends PageInput {
  /** Only differences of this kind. */
  kind?:
    | 'payment_not_credited'
    | 'credited_not_paid'
    | 'amount_differs'
    | 'fee_differs'
    | 'payment_unknown_here'
    | 'refund_not_made'
    | 'refund_status_differs'
    | 'chargeback_not_posted'
    | 'chargeback_unknown_there'
    | 'payout_status_differs'
    | 'payout_amount_differs'
    | 'payout_utr_differs'
    | 'payout_unknown_there'
    | 'settlement_amount_differs'
    | 'unchecked'
}

export interface ListFailedDeliveriesInput extends PageInput {
  /** Only deliveries of this platform. */
  platform_id?: string
}

export type ListNegativeWalletsInput = PageInput

export interface ListRiskAlertsInput extends PageInput {
  /** Only alerts with this status. */
  status?: 'open' | 'dismissed' | 'confirmed'
  /** Only alerts of this rule. */
  rule?: RiskRule
  /** Only alerts of this severity. */
  severity?: 'low' | 'medium' | 'high'
  /** Only alerts about this agent. */
  agent_id?: string
}

export interface ListSettlementSkipsInput extends PageInput {
  /** The business day in IST. */
  day: string
  /** Only wallets that were skipped for this reason. */
  reason?: 'no_verified_bank_account' | 'agent_frozen' | 'agent_quarantined' | 'below_minimum'
}

export type ListSettlementsInput = PageInput

export interface ReviewRiskAlertInput {
  alert_id: string
  /** The result of the review. */
  decision: 'dismiss' | 'confirm'
  /** Only with `confirm`, and only on an agent. */
  action?: 'quarantine'
  /** A note on the review. */
  note?: string
}

export interface SetOwnerTierInput {
  owner_id: string
  /** The tier. */
  tier: Tier
}

export interface UnfreezeOwnerInput {
  owner_id: string
}

export interface UpdateTierInput {
  /** The tier. */
  tier: string
  /** The maximum of one payment in INR, without its fee. */
  per_tx?: number
  /** The maximum in INR in any 24 hours. */
  daily?: number
  /** The maximum in INR in a calendar month in IST. */
  monthly?: number
  /** A payment above this amount in INR must use escrow. */
  escrow_above?: number
  /** A payment above this amount in INR waits for the owner’s approval. */
  approval_above?: number
}

export interface ReceiveGatewayWebhookInput {
  /** The gateway. */
  gateway: string
  /** The webhook in the gateway’s own format. */
  body: unknown
}

export interface AdvanceClockInput {
  /** The number of seconds, at most ten years; 0 does the work that is due now. */
  advance_seconds: number
}

export interface CompleteSandboxPaymentInput {
  payment_session_id: string
  /** The outcome. */
  outcome: SandboxOutcome
  /** The payment method; if absent, the requested one, or `upi` for a link. */
  method?: 'upi' | 'card' | 'netbanking'
}

export interface GetSandboxMessagesInput {
  /** The phone that received the messages. */
  phone: string
}

export interface GetSandboxOtpInput {
  /** The phone that received the code. */
  phone: string
}

/** What the browser signed with the options. */
export interface PasskeyAssertion {
  id: string
  rawId: string
  type: 'public-key'
  authenticatorAttachment?: 'platform' | 'cross-platform'
  clientExtensionResults?: Record<string, unknown>
  response: {
    clientDataJSON: string
    authenticatorData: string
    signature: string
    userHandle?: string
  }
}

/** The credential that the browser made with the options. */
export interface PasskeyRegistration {
  id: string
  rawId: string
  type: 'public-key'
  authenticatorAttachment?: 'platform' | 'cross-platform'
  clientExtensionResults?: Record<string, unknown>
  response: {
    clientDataJSON: string
    attestationObject: string
    authenticatorData?: string
    transports?: ('ble' | 'cable' | 'hybrid' | 'internal' | 'nfc' | 'smart-card' | 'usb')[]
    publicKey?: string
    publicKeyAlgorithm?: number
  }
}

/** The platform and its two secrets. */
export interface CreatedPlatform {
  platform_id: string
  name: string
  email: string | null
  status: 'active' | 'deleted'
  /** null if there is none. */
  webhook_url: string | null
  /** When the receiver responded with 410 Gone: since then events wait, and nothing is sent until `webhook_url` is set again. */
  webhook_disabled_at: string | null
  created_at: string
  /** Returned only in this response; null in a replayed response. */
  platform_secret: string | null
  /** Returned only in this response; null in a replayed response. */
  webhook_secret: string | null
}

/** The deleted platform. */
export interface DeletedPlatform {
  platform_id: string
  name: string
  email: string | null
  status: 'active' | 'deleted'
  /** null if there is none. */
  webhook_url: string | null
  /** When the receiver responded with 410 Gone: since then events wait, and nothing is sent until `webhook_url` is set again. */
  webhook_disabled_at: string | null
  created_at: string
}

/** A developer account. */
export interface Platform {
  platform_id: string
  name: string
  email: string | null
  status: 'active' | 'deleted'
  /** null if there is none. */
  webhook_url: string | null
  /** When the receiver responded with 410 Gone: since then events wait, and nothing is sent until `webhook_url` is set again. */
  webhook_disabled_at: string | null
  created_at: string
}

/** How far a new platform is. */
export interface FirstSteps {
  owners: number
  agents: number
  is_funded: boolean
  /** null before it. */
  first_payment: {
    payment_id: string
    from: string
    from_name: string
    to: string
    to_name: string
    to_handle: string
    /** The amount, INR. */
    amount: number
    reference: string | null
    note: string | null
    created_at: string
  } | null
}

/** The number of requests by minute, error code and route. */
export interface RequestUsage {
  from: string
  to: string
  requests: number
  failed: number
  minutes: {
    minute: string
    requests: number
    failed: number
  }[]
  errors: {
    code: ErrorCode
    status: number
    requests: number
  }[]
  routes: {
    method: string
    route: string
    requests: number
    failed: number
  }[]
}

/** A finished request. */
export interface LoggedRequest {
  request_id: string
  method: string
  route: string
  status: number
  /** null if it was no error. */
  code: ErrorCode | null
  duration_ms: number
  /** null: a secret or a key did. */
  app_id: string | null
  created_at: string
}

/** The position of this page in the list. */
export interface Pagination {
  total: number
  limit: number
  offset: number
  next_cursor?: string
}

/** A page of requests. */
export interface LoggedRequestList {
  requests: LoggedRequest[]
  pagination: Pagination
}

/** The new secret. */
export interface RotatedPlatformSecret {
  platform_id: string
  /** Returned only in this response; null in a replayed response. */
  platform_secret: string | null
}

/** The new secret. */
export interface RotatedWebhookSecret {
  platform_id: string
  /** Returned only in this response; null in a replayed response. */
  webhook_secret: string | null
  previous_secret_expires_at: string
}

/** The person or business that owns agents. */
export interface Owner {
  owner_id: string
  name: string
  phone: string
  email: string | null
  pan: string
  kyc_status: KycStatus
  /** Why the last submitted account is not verified; null if it is. */
  reason: string | null
  tier: Tier
  status: 'active' | 'frozen'
  /** Until then no session covers it, so approvals of its agents wait until they expire. */
  link_status: 'accepted' | 'invited' | 'declined'
  bank_account_last4: string | null
  bank_ifsc: string | null
  pending_bank_account: {
    last4: string
    ifsc: string
    effective_at: string
  } | null
  created_at: string
}

/** A page of owners. */
export interface OwnerList {
  owners: Owner[]
  pagination: Pagination
}

/** The owner after the check, and the bank’s response. */
export interface KycResult {
  owner_id: string
  name: string
  phone: string
  email: string | null
  pan: string
  kyc_status: KycStatus
  /** Why the last submitted account is not verified; null if it is. */
  reason: string | null
  tier: Tier
  status: 'active' | 'frozen'
  /** Until then no session covers it, so approvals of its agents wait until they expire. */
  link_status: 'accepted' | 'invited' | 'declined'
  bank_account_last4: string | null
  bank_ifsc: string | null
  pending_bank_account: {
    last4: string
    ifsc: string
    effective_at: string
  } | null
  created_at: string
  name_at_bank: string | null
  name_match_score: number | null
}

/** The spend policy controls. null: no limit in this layer; 0: nothing is allowed. */
export interface Policy {
  /** The maximum of one payment in INR, without its fee. */
  spend_limit_per_tx: number | null
  /** The maximum in INR in any 60 minutes. */
  spend_limit_hourly: number | null
  /** The maximum in INR in a calendar day in IST. */
  spend_limit_daily: number | null
  /** The maximum in INR in a calendar month in IST. */
  spend_limit_monthly: number | null
  allowed_payees: string[]
  blocked_payee_agents: string[]
  /** The maximum in INR to one agent in a calendar day in IST. */
  per_counterparty_daily_limit: number | null
  max_counterparties_per_hour: number | null
  /** A payment above this amount in INR must use escrow. */
  require_escrow_above: number | null
  /** A payment above this amount in INR waits for the owner’s approval. */
  require_human_approval_above: number | null
}

/** Policy changes that have not taken effect yet; empty if there are none. */
export interface PendingPolicy {
  spend_limit_per_tx?: {
    /** null clears the control. */
    value: number | null
    effective_at: string
  }
  spend_limit_hourly?: {
    /** null clears the control. */
    value: number | null
    effective_at: string
  }
  spend_limit_daily?: {
    /** null clears the control. */
    value: number | null
    effective_at: string
  }
  spend_limit_monthly?: {
    /** null clears the control. */
    value: number | null
    effective_at: string
  }
  allowed_payees?: {
    /** null clears the control. */
    value: string[] | null
    effective_at: string
  }
  blocked_payee_agents?: {
    /** null clears the control. */
    value: string[] | null
    effective_at: string
  }
  per_counterparty_daily_limit?: {
    /** null clears the control. */
    value: number | null
    effective_at: string
  }
  max_counterparties_per_hour?: {
    /** null clears the control. */
    value: number | null
    effective_at: string
  }
  require_escrow_above?: {
    /** null clears the control. */
    value: number | null
    effective_at: string
  }
  require_human_approval_above?: {
    /** null clears the control. */
    value: number | null
    effective_at: string
  }
}

/** The agent and its key. */
export interface CreatedAgent {
  agent_id: string
  handle: string
  name: string
  owner_id: string
  platform_id: string
  wallet_id: string
  status: AgentStatus
  /** Its money stays in the wallet until an administrator restores the agent. */
  held_as: 'frozen' | 'quarantined' | null
  tier: Tier
  origins: string[]
  /** The spend policy controls. null: no limit in this layer; 0: nothing is allowed. */
  policy: Policy
  pending_policy: PendingPolicy
  key_last4: string
  created_at: string
  vendor_id: string
  /** Returned only in this response; null in a replayed response. */
  agent_key: string | null
}

/** The deactivated agent. */
export interface DeactivatedAgent {
  agent_id: string
  handle: string
  name: string
  owner_id: string
  platform_id: string
  wallet_id: string
  status: AgentStatus
  /** Its money stays in the wallet until an administrator restores the agent. */
  held_as: 'frozen' | 'quarantined' | null
  tier: Tier
  origins: string[]
  /** The spend policy controls. null: no limit in this layer; 0: nothing is allowed. */
  policy: Policy
  pending_policy: PendingPolicy
  key_last4: string
  created_at: string
  vendor_id?: string
}

/** An agent, its wallet and its policy. */
export interface Agent {
  agent_id: string
  handle: string
  name: string
  owner_id: string
  platform_id: string
  wallet_id: string
  status: AgentStatus
  /** Its money stays in the wallet until an administrator restores the agent. */
  held_as: 'frozen' | 'quarantined' | null
  tier: Tier
  origins: string[]
  /** The spend policy controls. null: no limit in this layer; 0: nothing is allowed. */
  policy: Policy
  pending_policy: PendingPolicy
  key_last4: string
  created_at: string
  vendor_id?: string
}

/** The public facts about an agent. */
export interface AgentExistence {
  exists: boolean
  agent_id: string | null
  handle: string | null
  name: string | null
  status: AgentStatus | null
}

/** The figures of a wallet in INR. */
export interface Balance {
  /** The balance that can be spent now, INR. */
  available: number
  /** The total credited, INR: fundings after their fee, and incoming payments. */
  total_funded: number
  /** The total of outgoing payments and their fees, INR. */
  total_spent: number
}

/** A limit and what is left of it. */
export interface PolicyHeadroom {
  rule:
    | 'spend_limit_per_tx'
    | 'spend_limit_hourly'
    | 'spend_limit_daily'
    | 'spend_limit_monthly'
    | 'per_counterparty_daily_limit'
    | 'max_counterparties_per_hour'
    | 'budget_limit'
  layer: 'tier' | 'owner' | 'org' | 'agent' | 'app'
  window: 'payment' | 'last_hour' | 'last_24_hours' | 'ist_day' | 'ist_month'
  /** The limit: INR, or a number of recipients. */
  limit: number
  /** null for a counterparty limit if the request has no `to`, and at a past moment. */
  used: number | null
  /** What is left of it; null where `used` is. */
  remaining: number | null
  /** null if nothing is used or the limit never resets. */
  resets_at: string | null
}

/** An amount above which escrow or approval is required. */
export interface PolicyThreshold {
  rule: 'require_escrow_above' | 'require_human_approval_above'
  layer: PolicyLayer
  /** The greatest amount that passes without it, INR. */
  above: number
}

/** All layers together, and what is left of each limit. */
export interface EffectivePolicy {
  agent_id: string
  status: AgentStatus
  tier: Tier
  limits: PolicyHeadroom[]
  thresholds: PolicyThreshold[]
  allowed_payees: string[]
  blocked_payee_agents: string[]
  /** 0 while the agent is stopped. null without a limit, and at a past moment. */
  max_amount_now: number | null
  pending_policy: PendingPolicy
  owner_pending_policy: PendingPolicy
  policy_version: string
  as_of: string
}

/** What keeps the payer from paying more. */
export interface ExposureBound {
  rule:
    | 'balance'
    | 'status'
    | 'spend_limit_per_tx'
    | 'spend_limit_hourly'
    | 'spend_limit_daily'
    | 'spend_limit_monthly'
    | 'per_counterparty_daily_limit'
    | 'max_counterparties_per_hour'
    | 'budget_limit'
    | 'require_escrow_above'
    | 'require_human_approval_above'
    | 'allowed_payees'
    | 'blocked_payee_agents'
  /** null for the balance and the status. */
  layer: PolicyLayer | null
}

/** Within the next 60 minutes. */
export interface MostPaid {
  /** The most that payments can take out until then, INR, without fees. */
  amount: number
  bound_by: ExposureBound
}

/** The most that payments can take out without anybody deciding anything. */
export interface Exposure {
  as_of: string
  agent_id: string
  hour: MostPaid
  day: MostPaid
  month: MostPaid
  /** What escrow holds of the agent’s money, INR. */
  held: number
  /** What payees can capture at any moment, INR. */
  authorized: number
  /** What waits for the owner’s decision, INR, without fees. */
  pending_approvals: number
}

/** An allowance with the names of both sides. */
export interface NamedAllowance {
  allowance_id: string
  agent_id: string
  to: string
  /** The most that may be paid under it, INR, without fees. */
  amount: number
  /** What was paid and held under it, INR. */
  used: number
  until: string
  agent_name: string
  to_name: string
  to_handle: string
}

/** One line of a wallet’s statement. */
export interface Transaction {
  id: string
  type: TransactionType
  /** The amount, INR, without the fee. */
  amount: number
  /** The fee, INR. */
  fee: number
  /** What the wallet gained or lost, INR: fund amount − fee, pay_out amount + fee, else the amount. */
  net_amount: number
  /** null for the bank. */
  counterparty_type: 'agent' | null
  /** null for the bank, and for a hold without a recipient. */
  counterparty_id: string | null
  agent_name: string
  /** null for the bank. */
  counterparty_name: string | null
  reference: string | null
  note: string | null
  /** `reversed` only after `completed`. */
  status: TransactionStatus
  created_at: string
  payment_id?: string
  funding_id?: string
  escrow_id?: string
  authorization_id?: string
  utr?: string
  failure_reason?:
    | 'expired'
    | 'cancelled'
    | 'payment_failed'
    | 'gateway_refused'
    | 'agent_deactivated'
    | 'bank_account_refused'
    | 'bank_unavailable'
    | 'returned_by_bank'
}

/** What an agent has, may still spend, and did last. */
export interface AgentOverview {
  /** The figures of a wallet in INR. */
  balance: Balance
  policy: EffectivePolicy
  exposure: Exposure
  /** null for a platform. */
  allowances: NamedAllowance[] | null
  recent: Transaction[]
}

/** Whether the handle is available. */
export interface HandleAvailability {
  handle: string
  available: boolean
  /** Why it is not available; null if it is. */
  reason: 'taken' | 'invalid' | null
}

/** A page of agents. */
export interface AgentList {
  agents: Agent[]
  pagination: Pagination
}

/** The new key. */
export interface RotatedAgentKey {
  agent_id: string
  /** Returned only in this response; null in a replayed response. */
  agent_key: string | null
  key_last4: string
}

/** The agent after the change. */
export interface UpdatedAgent {
  agent_id: string
  handle: string
  name: string
  owner_id: string
  platform_id: string
  wallet_id: string
  status: AgentStatus
  /** Its money stays in the wallet until an administrator restores the agent. */
  held_as: 'frozen' | 'quarantined' | null
  tier: Tier
  origins: string[]
  /** The spend policy controls. null: no limit in this layer; 0: nothing is allowed. */
  policy: Policy
  pending_policy: PendingPolicy
  key_last4: string
  created_at: string
  vendor_id?: string
  /** Only if a change of a payee list leaves agents without an allowed payee: which agents, and until when. */
  warnings?: string[]
}

/** The decision about a payment at this moment. */
export interface PolicyEvaluation {
  decision: 'approved' | 'denied' | 'escrow_required' | 'approval_required'
  /** null if it would return none. */
  code: ErrorCode | null
  message: string
  /** null if there is nothing. */
  details: Record<string, unknown> | null
  /** The amount, INR. */
  amount: number
  /** The fee on it, INR. */
  fee: number
  /** What would be debited, INR. */
  total: number
}

/** The agents that payee lists name. */
export interface NamedPayees {
  payees: {
    agent_id: string
    handle: string
    name: string
    status: AgentStatus
  }[]
}

/** One changed control. */
export interface ChangedControl {
  layer: PolicyLayer
  control:
    | 'spend_limit_per_tx'
    | 'spend_limit_hourly'
    | 'spend_limit_daily'
    | 'spend_limit_monthly'
    | 'allowed_payees'
    | 'blocked_payee_agents'
    | 'per_counterparty_daily_limit'
    | 'max_counterparties_per_hour'
    | 'require_escrow_above'
    | 'require_human_approval_above'
    | 'budget_limit'
    | 'tier'
  /** The value before: INR, a number of payees, agent ids, or the name of a tier; null if the layer sets nothing. */
  from: string[] | number | string | null
  /** The value from then on: INR, a number of payees, agent ids, or the name of a tier; null if the layer sets nothing. */
  to: string[] | number | string | null
}

/** An effective policy and the change that led to it. */
export interface PolicyVersion {
  policy_version: string
  /** until the next version. */
  effective_at: string
  changed: ChangedControl[]
  actor: {
    type: 'platform' | 'agent' | 'app' | 'owner' | 'admin' | 'public' | 'service'
    id: string
  }
  payees: {
    agent_id: string
    handle: string
    name: string
    status: AgentStatus
  }[]
}

/** The versions of an agent’s effective policy, newest first. */
export interface PolicyVersionList {
  versions: PolicyVersion[]
  pagination: Pagination
}

/** A member of an organization. */
export interface Member {
  org_id: string
  agent_id: string
  agent_name: string
  role: MemberRole
  /** The most that it may spend in a calendar month in IST, INR; null: no budget. */
  budget_limit: number | null
  /** null if none waits. */
  pending_budget: {
    /** The new budget, INR; null: no budget. */
    value: number | null
    effective_at: string
  } | null
  joined_at: string
}

/** The allocation. */
export interface Allocation {
  org_id: string
  agent_id: string
  /** The amount, INR. */
  amount: number
  transaction_id: string
  /** The treasury’s balance afterwards, INR. */
  treasury_balance: number
  /** The member’s balance afterwards, INR. */
  agent_balance: number
}

/** Agents of one owner with a common treasury. */
export interface Organization {
  id: string
  name: string
  owner_id: string
  tier: 'tier1' | 'tier2' | 'tier3'
  max_agents: number
  /** `frozen` while its owner is frozen. */
  status: 'active' | 'frozen'
  /** null until one is named. */
  treasury_agent_id: string | null
  created_at: string
}

/** The members’ budgets for this month. */
export interface Budget {
  org_id: string
  members: {
    agent_id: string
    agent_name: string
    role: MemberRole
    /** The most that it may spend in a calendar month in IST, INR; null: no budget. */
    budget_limit: number | null
    /** null if none waits. */
    pending_budget: {
      /** The new budget, INR; null: no budget. */
      value: number | null
      effective_at: string
    } | null
    /** The balance that it can spend now, INR. */
    available: number
    /** What it has spent in this calendar month in IST, without fees, including before it joined, INR. */
    spent_this_month: number
    /** What is left of its budget, INR, never below 0; null without a budget. */
    remaining: number | null
  }[]
}

/** A page of transactions. */
export interface OrganizationTransactions {
  transactions: Transaction[]
  pagination: Pagination
}

/** A page of organizations. */
export interface OrganizationList {
  organizations: Organization[]
  pagination: Pagination
}

/** A payment session for the owner to complete. */
export interface FundingSession {
  funding_id: string
  payment_session_id: string
  order_id: string
  /** `pending` until the gateway confirms the payment. */
  status: 'pending' | 'completed' | 'failed'
  /** What the owner pays, INR, before the gateway’s fee. */
  amount: number
  method: 'upi' | 'card' | 'netbanking' | 'link'
  checkout_url: string
  expires_at: string
}

/** The funding and the ways to pay it by UPI. */
export interface UpiCollect {
  funding_id: string
  payment_session_id: string
  order_id: string
  /** `pending` until the gateway confirms the payment. */
  status: 'pending' | 'completed' | 'failed'
  /** What the owner pays, INR, before the gateway’s fee. */
  amount: number
  collect: boolean
  /** null without one. */
  upi_id: string | null
  upi_intent: string
  qr: string
  checkout_url: string
  expires_at: string
}

/** A funding in its present state. */
export interface Funding {
  funding_id: string
  payment_session_id: string
  order_id: string
  /** `pending` until the gateway confirms the payment. */
  status: 'pending' | 'completed' | 'failed'
  /** What the owner pays, INR, before the gateway’s fee. */
  amount: number
  method: 'upi' | 'card' | 'netbanking' | 'link'
  /** null until paid. */
  paid_method: 'upi' | 'card' | 'netbanking' | null
  /** The gateway’s fee, INR: 2.5 %, half a paisa rounded up; null until paid. */
  fee: number | null
  /** What the wallet was credited, INR: amount minus fee; null until paid. */
  net_amount: number | null
  checkout_url: string
  created_at: string
  expires_at: string
  /** When the wallet was credited; null if it was not. */
  completed_at: string | null
}

/** Money on its way to the owner’s bank. */
export interface Withdrawal {
  transaction_id: string
  agent_id: string
  /** The amount, INR. */
  amount: number
  status: 'pending'
  bank_account_last4: string
  estimated_arrival: string
}

/** A payment and its result. */
export interface Payment {
  /** null while it waits for approval. */
  payment_id: string | null
  status: 'completed' | 'pending_approval'
  /** The sender’s balance after amount and fee, INR; unchanged while it waits. */
  from_balance: number
  /** The fee, INR: 0.5 % of the amount, at least 1. */
  cost: number
  approval_id?: string
  /** absent while it waits. */
  receipt_id?: string
  /** absent while it waits. */
  transaction_id?: string
  /** null while the payment waits, and if it could not be signed: then get the receipt. */
  receipt_token?: string | null
  created_at: string
  /** see the list of policy versions. null if the history of the agent’s policy begins later. */
  policy_version: string | null
  from: string
  to: string
  /** What the payee received, INR. */
  amount: number
  /** What the payee has refunded of it so far, INR; 0 if nothing. */
  refunded_total: number
  reference: string | null
  /** Why the agent spends, as its request said; null if it did not. */
  context: {
    purpose?: string
    url?: string
    items?: {
      name: string
      quantity?: number
      /** What the item costs in all, INR. */
      amount?: number
    }[]
    client?: string
  } | null
}

/** A page of payments. */
export interface PaymentList {
  payments: Payment[]
  pagination: Pagination
}

/** The result of the payment. */
export interface PaymentResult {
  /** null while it waits for approval. */
  payment_id: string | null
  status: 'completed' | 'pending_approval'
  /** The sender’s balance after amount and fee, INR; unchanged while it waits. */
  from_balance: number
  /** The fee, INR: 0.5 % of the amount, at least 1. */
  cost: number
  /** present only while the payment waits. */
  approval_id?: string
  /** absent while it waits. */
  receipt_id?: string
  /** absent while it waits. */
  transaction_id?: string
  /** null while the payment waits, and if it could not be signed: then get the receipt. */
  receipt_token?: string | null
  created_at: string
  /** see the list of policy versions. null if the history of the agent’s policy begins later. */
  policy_version: string | null
}

/** The refund. */
export interface Refund {
  refund_id: string
  payment_id: string
  /** The amount of this refund, INR. */
  amount: number
  /** The total refunded of this payment, INR. */
  refunded_total: number
  transaction_id: string
}

/** The request is answered. */
export interface ConnectAnswered {
  redirect_to: string
}

/** The request is refused. */
export interface ConnectDenied {
  redirect_to: string
}

/** The app was disconnected. */
export interface ConnectedAppEnded {
  app_id: string
  ended: true
}

/** A client that asks to act for an agent. */
export interface ConnectRequest {
  name: string
  client_id: string
  /** null: it has registered itself. */
  client_host: string | null
  redirect_host: string
  scopes: ('wallet:read' | 'payments:write' | 'approvals:request')[]
  expires_at: string
}

/** An assistant that acts for an agent, within a cap of its own. */
export interface ConnectedApp {
  app_id: string
  name: string
  client_id: string
  agent_id: string
  agent_name: string
  scopes: ('wallet:read' | 'payments:write' | 'approvals:request')[]
  /** The most that one payment, hold or refund of the app may be, INR. */
  per_tx: number
  /** The most that the app may spend on a calendar day in IST, INR, without fees. */
  daily: number
  /** What it has spent on this calendar day in IST, INR, without fees. */
  spent_today: number
  created_at: string
  /** null: never. */
  last_used_at: string | null
  expires_at: string
}

/** A page of connected apps. */
export interface ConnectedAppList {
  connected_apps: ConnectedApp[]
  pagination: Pagination
}

/** Proves offline that a passkey confirmed the document (`npm run verify`). */
export interface Evidence {
  document: string
  salt: string
  passkey_id: string
  rp_id: string
  origin: string
  public_key: string
  authenticator_data: string
  client_data_json: string
  signature: string
}

/** The new escrow. */
export interface EscrowHeld {
  escrow_id: string
  agent_id: string
  to_agent_id: string | null
  /** null if there is none. */
  attestor_agent_id: string | null
  /** The held amount, INR. */
  amount: number
  reference: string | null
  /** null without a timeout. */
  auto_action: 'refund' | 'release' | null
  /** null without one. */
  expires_at: string | null
  created_at: string
  /** null while it is held. */
  resolved_at: string | null
  transaction_id: string
  /** The effective policy that decided the hold. null if the history of the agent’s policy begins later. */
  policy_version: string | null
  status: EscrowStatus
}

/** The new authorization. */
export interface AuthorizationCreated {
  authorization_id: string
  agent_id: string
  to_agent_id: string
  /** The most that can be captured in all, INR. */
  amount: number
  /** Always INR. */
  currency: 'INR'
  /** The fee on the whole amount, which is set aside too, INR. */
  fee_reserved: number
  /** The key that signs vouchers, base64 of its 32 bytes; null: captures need no voucher. */
  voucher_key: string | null
  reference: string | null
  created_at: string
  /** The effective policy that decided it. null if the history of the agent’s policy begins later. */
  policy_version: string | null
  /** The fee, INR, charged once at the end on what was captured; 0 until then. */
  fee: number
  /** What was captured so far, INR. */
  captured: number
  /** What can still be captured, INR; 0 after the end. */
  remaining: number
  /** `closing`: captures count until `closes_at`. */
  status: 'open' | 'closing' | 'closed' | 'expired' | 'voided'
  expires_at: string
  /** null while it is open, after the end, and while the payer is frozen or quarantined, because the time is paused then. */
  closes_at: string | null
  /** null before that. */
  closed_at: string | null
  token: string
  transaction_id: string
}

/** Payments to one payee that need no approval one by one. */
export interface Allowance {
  allowance_id: string
  agent_id: string
  to: string
  /** The most that may be paid under it, INR, without fees. */
  amount: number
  /** What was paid and held under it, INR. */
  used: number
  until: string
}

/** The approval, with what was made. */
export interface ApprovalApproved {
  approval_id: string
  agent_id: string
  agent_name: string
  kind: 'payment' | 'escrow_hold' | 'authorization'
  /** null for a hold that names none. */
  to: string | null
  to_name: string | null
  /** The amount, INR, without the fee. */
  amount: number
  /** The fee that would be due, INR; 0 for a hold. */
  fee: number
  reference: string | null
  note: string | null
  /** null without one. */
  timeout_hours: number | null
  /** null without one. */
  auto_action: 'refund' | 'release' | null
  /** null if there is none. */
  attestor_agent_id: string | null
  /** else null. */
  expires_in: number | null
  /** Why the agent spends, as its request said; null if it did not. */
  context: {
    purpose?: string
    url?: string
    items?: {
      name: string
      quantity?: number
      /** What the item costs in all, INR. */
      amount?: number
    }[]
    client?: string
  } | null
  /** null: none did. */
  app: {
    app_id: string
    name: string
  } | null
  /** null once it is decided, and for a hold that names none. */
  first_payment_to_payee: boolean | null
  /** What the agent has paid this payee so far, INR: payments and released holds, without fees; refunds are not deducted. */
  paid_to_payee_before: number | null
  /** null once it is decided. */
  headroom_after:
    | {
        rule:
          | 'spend_limit_per_tx'
          | 'spend_limit_hourly'
          | 'spend_limit_daily'
          | 'spend_limit_monthly'
          | 'allowed_payees'
          | 'blocked_payee_agents'
          | 'per_counterparty_daily_limit'
          | 'max_counterparties_per_hour'
          | 'require_escrow_above'
          | 'require_human_approval_above'
          | 'budget_limit'
        layer: 'tier' | 'owner' | 'org' | 'agent' | 'app'
        /** The limit: INR, or a number of payees. */
        limit: number
        /** What remains of it then: INR, or a number of payees. */
        remaining: number | null
      }[]
    | null
  rule: 'require_human_approval_above' | 'require_approval'
  /** The effective policy at the request. null of an approval of an earlier release. */
  policy_version: string | null
  /** `pending_approval` until the owner decides or 24 hours have passed. */
  status: ApprovalStatus
  created_at: string
  expires_at: string
  /** null while it waits. */
  decided_at: string | null
  /** null before that, and for others. */
  payment_id: string | null
  /** null before that, and for others. */
  escrow_id: string | null
  /** null before that, and for others. */
  authorization_id: string | null
  /** null if she gave no reason. */
  rejection_reason: string | null
  evidence: Evidence | null
  payment?: PaymentResult
  escrow?: EscrowHeld
  authorization?: AuthorizationCreated
  allowance?: Allowance
}

/** The options for `navigator.credentials.get`, in WebAuthn’s JSON form. */
export interface PasskeyRequestOptions {
  challenge: string
  rpId: string
  timeout: number
  allowCredentials: {
    id: string
    type: 'public-key'
    transports: ('ble' | 'cable' | 'hybrid' | 'internal' | 'nfc' | 'smart-card' | 'usb')[]
  }[]
  userVerification: 'required'
}

/** A challenge for a passkey. */
export interface StepUpChallenge {
  document: string
  salt: string
  challenge_id: string
  /** Until when it can be used, once. */
  expires_at: string
  options: PasskeyRequestOptions
}

/** The new allowance. */
export interface AllowanceCreated {
  allowance_id: string
  agent_id: string
  to: string
  /** The most that may be paid under it, INR, without fees. */
  amount: number
  /** What was paid and held under it, INR. */
  used: number
  until: string
}

/** The allowance as it ended. */
export interface AllowanceEnded {
  allowance_id: string
  agent_id: string
  to: string
  /** The most that may be paid under it, INR, without fees. */
  amount: number
  /** What was paid and held under it, INR. */
  used: number
  until: string
}

/** A payment, hold or authorization above the approval threshold. */
export interface Approval {
  approval_id: string
  agent_id: string
  agent_name: string
  kind: 'payment' | 'escrow_hold' | 'authorization'
  /** null for a hold that names none. */
  to: string | null
  to_name: string | null
  /** The amount, INR, without the fee. */
  amount: number
  /** The fee that would be due, INR; 0 for a hold. */
  fee: number
  reference: string | null
  note: string | null
  /** null without one. */
  timeout_hours: number | null
  /** null without one. */
  auto_action: 'refund' | 'release' | null
  /** null if there is none. */
  attestor_agent_id: string | null
  /** else null. */
  expires_in: number | null
  /** Why the agent spends, as its request said; null if it did not. */
  context: {
    purpose?: string
    url?: string
    items?: {
      name: string
      quantity?: number
      /** What the item costs in all, INR. */
      amount?: number
    }[]
    client?: string
  } | null
  /** null: none did. */
  app: {
    app_id: string
    name: string
  } | null
  /** null once it is decided, and for a hold that names none. */
  first_payment_to_payee: boolean | null
  /** What the agent has paid this payee so far, INR: payments and released holds, without fees; refunds are not deducted. */
  paid_to_payee_before: number | null
  /** null once it is decided. */
  headroom_after:
    | {
        rule:
          | 'spend_limit_per_tx'
          | 'spend_limit_hourly'
          | 'spend_limit_daily'
          | 'spend_limit_monthly'
          | 'allowed_payees'
          | 'blocked_payee_agents'
          | 'per_counterparty_daily_limit'
          | 'max_counterparties_per_hour'
          | 'require_escrow_above'
          | 'require_human_approval_above'
          | 'budget_limit'
        layer: 'tier' | 'owner' | 'org' | 'agent' | 'app'
        /** The limit: INR, or a number of payees. */
        limit: number
        /** What remains of it then: INR, or a number of payees. */
        remaining: number | null
      }[]
    | null
  rule: 'require_human_approval_above' | 'require_approval'
  /** The effective policy at the request. null of an approval of an earlier release. */
  policy_version: string | null
  /** `pending_approval` until the owner decides or 24 hours have passed. */
  status: ApprovalStatus
  created_at: string
  expires_at: string
  /** null while it waits. */
  decided_at: string | null
  /** null before that, and for others. */
  payment_id: string | null
  /** null before that, and for others. */
  escrow_id: string | null
  /** null before that, and for others. */
  authorization_id: string | null
  /** null if she gave no reason. */
  rejection_reason: string | null
  evidence: Evidence | null
}

/** An approval and what its owner decides by. */
export interface ApprovalDetails {
  /** No funds are held while it waits. */
  approval: Approval
  /** null for a hold that names none. */
  payee: {
    handle: string
    kyc_status: KycStatus
    member_since: string
  } | null
  /** The balance that the agent can spend now, INR. */
  available: number
  /** null if none did, and for a platform. */
  confirmed_by: {
    name: string
    audit_id: string
  } | null
}

/** A page of allowances. */
export interface AllowanceList {
  allowances: NamedAllowance[]
  pagination: Pagination
}

/** A page of approvals. */
export interface ApprovalList {
  approvals: Approval[]
  pagination: Pagination
}

/** The approval. */
export interface ApprovalRejected {
  approval_id: string
  agent_id: string
  agent_name: string
  kind: 'payment' | 'escrow_hold' | 'authorization'
  /** null for a hold that names none. */
  to: string | null
  to_name: string | null
  /** The amount, INR, without the fee. */
  amount: number
  /** The fee that would be due, INR; 0 for a hold. */
  fee: number
  reference: string | null
  note: string | null
  /** null without one. */
  timeout_hours: number | null
  /** null without one. */
  auto_action: 'refund' | 'release' | null
  /** null if there is none. */
  attestor_agent_id: string | null
  /** else null. */
  expires_in: number | null
  /** Why the agent spends, as its request said; null if it did not. */
  context: {
    purpose?: string
    url?: string
    items?: {
      name: string
      quantity?: number
      /** What the item costs in all, INR. */
      amount?: number
    }[]
    client?: string
  } | null
  /** null: none did. */
  app: {
    app_id: string
    name: string
  } | null
  /** null once it is decided, and for a hold that names none. */
  first_payment_to_payee: boolean | null
  /** What the agent has paid this payee so far, INR: payments and released holds, without fees; refunds are not deducted. */
  paid_to_payee_before: number | null
  /** null once it is decided. */
  headroom_after:
    | {
        rule:
          | 'spend_limit_per_tx'
          | 'spend_limit_hourly'
          | 'spend_limit_daily'
          | 'spend_limit_monthly'
          | 'allowed_payees'
          | 'blocked_payee_agents'
          | 'per_counterparty_daily_limit'
          | 'max_counterparties_per_hour'
          | 'require_escrow_above'
          | 'require_human_approval_above'
          | 'budget_limit'
        layer: 'tier' | 'owner' | 'org' | 'agent' | 'app'
        /** The limit: INR, or a number of payees. */
        limit: number
        /** What remains of it then: INR, or a number of payees. */
        remaining: number | null
      }[]
    | null
  rule: 'require_human_approval_above' | 'require_approval'
  /** The effective policy at the request. null of an approval of an earlier release. */
  policy_version: string | null
  /** `pending_approval` until the owner decides or 24 hours have passed. */
  status: ApprovalStatus
  created_at: string
  expires_at: string
  /** null while it waits. */
  decided_at: string | null
  /** null before that, and for others. */
  payment_id: string | null
  /** null before that, and for others. */
  escrow_id: string | null
  /** null before that, and for others. */
  authorization_id: string | null
  /** null if she gave no reason. */
  rejection_reason: string | null
  evidence: Evidence | null
}

/** Nothing is set aside yet: the owner has to approve. */
export interface AuthorizationWaiting {
  agent_id: string
  to_agent_id: string
  /** The most that can be captured in all, INR. */
  amount: number
  /** Always INR. */
  currency: 'INR'
  /** The fee on the whole amount, which is set aside too, INR. */
  fee_reserved: number
  /** The key that signs vouchers, base64 of its 32 bytes; null: captures need no voucher. */
  voucher_key: string | null
  reference: string | null
  created_at: string
  /** The effective policy that decided it. null if the history of the agent’s policy begins later. */
  policy_version: string | null
  authorization_id: null
  status: 'pending_approval'
  approval_id: string
  fee: 0
  captured: 0
  remaining: 0
  expires_at: null
  closes_at: null
  closed_at: null
  token: null
  transaction_id: null
}

/** What was captured. */
export interface Capture {
  authorization_id: string
  /** What was captured in all, INR. */
  captured: number
  /** What this request captured, INR; 0: it was captured before. */
  captured_now: number
  /** null: nothing moved. */
  payment_id: string | null
  /** null: nothing moved. */
  receipt_id: string | null
  /** What can still be captured, INR. */
  remaining: number
  status: 'open' | 'closing' | 'closed' | 'expired' | 'voided'
}

/** The authorization, closing or closed. */
export interface AuthorizationClosed {
  authorization_id: string
  agent_id: string
  to_agent_id: string
  /** The most that can be captured in all, INR. */
  amount: number
  /** Always INR. */
  currency: 'INR'
  /** The fee on the whole amount, which is set aside too, INR. */
  fee_reserved: number
  /** The key that signs vouchers, base64 of its 32 bytes; null: captures need no voucher. */
  voucher_key: string | null
  reference: string | null
  created_at: string
  /** The effective policy that decided it. null if the history of the agent’s policy begins later. */
  policy_version: string | null
  /** The fee, INR, charged once at the end on what was captured; 0 until then. */
  fee: number
  /** What was captured so far, INR. */
  captured: number
  /** What can still be captured, INR; 0 after the end. */
  remaining: number
  /** `closing`: captures count until `closes_at`. */
  status: 'open' | 'closing' | 'closed' | 'expired' | 'voided'
  expires_at: string
  /** null while it is open, after the end, and while the payer is frozen or quarantined, because the time is paused then. */
  closes_at: string | null
  /** null before that. */
  closed_at: string | null
  token: string
  transaction_id: string
}

/** Money that is set aside for one payee. */
export interface Authorization {
  authorization_id: string
  agent_id: string
  to_agent_id: string
  /** The most that can be captured in all, INR. */
  amount: number
  /** Always INR. */
  currency: 'INR'
  /** The fee on the whole amount, which is set aside too, INR. */
  fee_reserved: number
  /** The key that signs vouchers, base64 of its 32 bytes; null: captures need no voucher. */
  voucher_key: string | null
  reference: string | null
  created_at: string
  /** The effective policy that decided it. null if the history of the agent’s policy begins later. */
  policy_version: string | null
  /** The fee, INR, charged once at the end on what was captured; 0 until then. */
  fee: number
  /** What was captured so far, INR. */
  captured: number
  /** What can still be captured, INR; 0 after the end. */
  remaining: number
  /** `closing`: captures count until `closes_at`. */
  status: 'open' | 'closing' | 'closed' | 'expired' | 'voided'
  expires_at: string
  /** null while it is open, after the end, and while the payer is frozen or quarantined, because the time is paused then. */
  closes_at: string | null
  /** null before that. */
  closed_at: string | null
  token: string
  transaction_id: string
  /** only where one authorization is read, by the side of its payer. */
  approval_id?: string
  /** Why the agent spends, as its request said; null if it did not. */
  context?: {
    purpose?: string
    url?: string
    items?: {
      name: string
      quantity?: number
      /** What the item costs in all, INR. */
      amount?: number
    }[]
    client?: string
  } | null
}

/** A page of authorizations. */
export interface AuthorizationList {
  authorizations: Authorization[]
  pagination: Pagination
}

/** The ended authorization. */
export interface AuthorizationVoided {
  authorization_id: string
  agent_id: string
  to_agent_id: string
  /** The most that can be captured in all, INR. */
  amount: number
  /** Always INR. */
  currency: 'INR'
  /** The fee on the whole amount, which is set aside too, INR. */
  fee_reserved: number
  /** The key that signs vouchers, base64 of its 32 bytes; null: captures need no voucher. */
  voucher_key: string | null
  reference: string | null
  created_at: string
  /** The effective policy that decided it. null if the history of the agent’s policy begins later. */
  policy_version: string | null
  /** The fee, INR, charged once at the end on what was captured; 0 until then. */
  fee: number
  /** What was captured so far, INR. */
  captured: number
  /** What can still be captured, INR; 0 after the end. */
  remaining: number
  /** `closing`: captures count until `closes_at`. */
  status: 'open' | 'closing' | 'closed' | 'expired' | 'voided'
  expires_at: string
  /** null while it is open, after the end, and while the payer is frozen or quarantined, because the time is paused then. */
  closes_at: string | null
  /** null before that. */
  closed_at: string | null
  token: string
  transaction_id: string
}

/** The closed escrow. */
export interface EscrowResolved {
  escrow_id: string
  agent_id: string
  to_agent_id: string | null
  /** null if there is none. */
  attestor_agent_id: string | null
  /** The held amount, INR. */
  amount: number
  reference: string | null
  /** null without a timeout. */
  auto_action: 'refund' | 'release' | null
  /** null without one. */
  expires_at: string | null
  created_at: string
  /** null while it is held. */
  resolved_at: string | null
  transaction_id: string
  /** The effective policy that decided the hold. null if the history of the agent’s policy begins later. */
  policy_version: string | null
  status: EscrowStatus
}

/** Money that is held until its release or refund. */
export interface Escrow {
  escrow_id: string
  agent_id: string
  to_agent_id: string | null
  /** null if there is none. */
  attestor_agent_id: string | null
  /** The held amount, INR. */
  amount: number
  reference: string | null
  /** null without a timeout. */
  auto_action: 'refund' | 'release' | null
  /** null without one. */
  expires_at: string | null
  created_at: string
  /** null while it is held. */
  resolved_at: string | null
  transaction_id: string
  /** The effective policy that decided the hold. null if the history of the agent’s policy begins later. */
  policy_version: string | null
  status: EscrowStatus
}

/** An escrow and its agents. */
export interface EscrowDetails {
  /** Money that is held until its release or refund. */
  escrow: Escrow
  agents: {
    agent_id: string
    handle: string
    name: string
    status: AgentStatus
  }[]
}

/** Nothing is held yet: the owner has to approve. */
export interface EscrowWaiting {
  agent_id: string
  to_agent_id: string | null
  /** null if there is none. */
  attestor_agent_id: string | null
  /** The amount to hold, INR. */
  amount: number
  reference: string | null
  /** null without a timeout. */
  auto_action: 'refund' | 'release' | null
  expires_at: null
  created_at: string
  resolved_at: null
  transaction_id: null
  /** The effective policy that decided the hold. null if the history of the agent’s policy begins later. */
  policy_version: string | null
  escrow_id: null
  status: 'pending_approval'
  approval_id: string
}

/** A page of escrows. */
export interface EscrowList {
  escrows: Escrow[]
  pagination: Pagination
}

/** The closed escrow. */
export interface EscrowRefunded {
  escrow_id: string
  agent_id: string
  to_agent_id: string | null
  /** null if there is none. */
  attestor_agent_id: string | null
  /** The held amount, INR. */
  amount: number
  reference: string | null
  /** null without a timeout. */
  auto_action: 'refund' | 'release' | null
  /** null without one. */
  expires_at: string | null
  created_at: string
  /** null while it is held. */
  resolved_at: string | null
  transaction_id: string
  /** The effective policy that decided the hold. null if the history of the agent’s policy begins later. */
  policy_version: string | null
  status: EscrowStatus
}

/** What an agent spent, by day and payee. */
export interface Spending {
  agent_id: string
  from_date: string
  to_date: string
  /** The sum, INR, without fees. */
  total: number
  payments: number
  payees: {
    agent_id: string
    agent_name: string
    /** The sum, INR, without fees. */
    amount: number
    payments: number
  }[]
  others: {
    /** The sum, INR, without fees. */
    amount: number
    payments: number
  }
  days: {
    date: string
    /** The sum, INR, without fees. */
    total: number
    payees: number[]
    /** The sum to all others, INR. */
    others: number
  }[]
}

/** One movement of a wallet’s money, with the balance after it. */
export interface StatementLine {
  posted_at: string
  agent_id: string
  id: string
  type: TransactionType
  /** The amount, INR, without the fee. */
  amount: number
  /** The fee, INR. */
  fee: number
  /** What the wallet gained or lost by this line, INR. */
  net_amount: number
  /** null for the bank. */
  counterparty_type: 'agent' | null
  /** null for the bank, and for a hold without a recipient. */
  counterparty_id: string | null
  agent_name: string
  /** null for the bank. */
  counterparty_name: string | null
  reference: string | null
  note: string | null
  /** `reversed` only after `completed`. */
  status: TransactionStatus
  created_at: string
  payment_id?: string
  funding_id?: string
  escrow_id?: string
  authorization_id?: string
  utr?: string
  failure_reason?:
    | 'expired'
    | 'cancelled'
    | 'payment_failed'
    | 'gateway_refused'
    | 'agent_deactivated'
    | 'bank_account_refused'
    | 'bank_unavailable'
    | 'returned_by_bank'
  /** Otherwise null. */
  reverses: string | null
  change: number
  /** The balance after this line, INR; in a statement of all agents the sum of their balances. */
  running_balance: number
}

/** Sums over all lines: opening balance + credited − debited = closing balance. */
export interface StatementTotals {
  lines: number
  /** The sum of all positive changes, INR. */
  credited: number
  /** The sum of all negative changes, INR, without the sign. */
  debited: number
  /** The sum of all fees of these lines, INR. */
  fees: number
}

/** The movements of a period with the balances before and after them. */
export interface Statement {
  /** null in a statement of all agents. */
  agent_id: string | null
  currency: 'INR'
  /** null: from the first movement on. */
  from: string | null
  /** null: until now. */
  until: string | null
  created_at: string
  /** The balance before the first line, INR. */
  opening_balance: number
  /** The balance after the last line, INR. */
  closing_balance: number
  lines: StatementLine[]
  totals: StatementTotals
  /** null while the log cannot be extended. */
  checkpoint: string | null
}

/** One line of the statement of one of your agents. */
export interface PlatformTransaction {
  id: string
  type: TransactionType
  /** The amount, INR, without the fee. */
  amount: number
  /** The fee, INR. */
  fee: number
  /** What the wallet gained or lost, INR: fund amount − fee, pay_out amount + fee, else the amount. */
  net_amount: number
  /** null for the bank. */
  counterparty_type: 'agent' | null
  /** null for the bank, and for a hold without a recipient. */
  counterparty_id: string | null
  agent_name: string
  /** null for the bank. */
  counterparty_name: string | null
  reference: string | null
  note: string | null
  /** `reversed` only after `completed`. */
  status: TransactionStatus
  created_at: string
  payment_id?: string
  funding_id?: string
  escrow_id?: string
  authorization_id?: string
  utr?: string
  failure_reason?:
    | 'expired'
    | 'cancelled'
    | 'payment_failed'
    | 'gateway_refused'
    | 'agent_deactivated'
    | 'bank_account_refused'
    | 'bank_unavailable'
    | 'returned_by_bank'
  agent_id: string
}

/** A page of the statements. */
export interface PlatformTransactionList {
  transactions: PlatformTransaction[]
  pagination: Pagination
}

/** A page of the statement. */
export interface TransactionList {
  transactions: Transaction[]
  pagination: Pagination
}

/** Whether the nonce can be used again. */
export interface NonceRestoration {
  nonce: string
  restored: boolean
}

/** Whether the payment is as the caller expects. */
export interface Verification {
  /** Serve the resource only when this is true. */
  verified: boolean
  reason?: VerifyFailure
  transaction_id: string
  /** null if the caller is not a party to the payment. */
  from: string | null
  /** null if the caller is not a party to the payment. */
  to: string | null
  /** The amount paid, INR, as a string with two decimals. */
  amount: string | null
  /** The amount refunded so far, INR, as a string with two decimals. */
  refunded: string | null
  asset: 'INR'
  created_at: string | null
}

/** The listing is removed. */
export interface ListingEnded {
  listing_id: string
  ended: true
}

/** An origin of an agent that is listed. */
export interface Listing {
  listing_id: string
  agent_id: string
  origin: string
  name: string
  description: string | null
  protocols: ('batua' | 'vouchers' | 'x402' | 'mpp')[]
  routes: {
    method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
    path: string
    description: string | null
    /** The lowest price, INR; null: the seller says it when it is asked. */
    price_from: number | null
    /** The highest price, INR. */
    price_to: number | null
    /** null: any. */
    buyer_tier: Tier | null
    /** null: any. */
    buyer_kyc: KycStatus | null
  }[]
  checked_at: string
  /** null: it can. */
  failing_since: string | null
  uptime: number
  created_at: string
}

/** A page of listings. */
export interface ListingList {
  listings: Listing[]
  pagination: Pagination
}

/** A seller that has registered what it sells. */
export interface Seller {
  agent_id: string
  handle: string
  origin: string
  name: string
  description: string | null
  protocols: ('batua' | 'vouchers' | 'x402' | 'mpp')[]
  routes: {
    method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
    path: string
    description: string | null
    /** The lowest price, INR; null: the seller says it when it is asked. */
    price_from: number | null
    /** The highest price, INR. */
    price_to: number | null
    /** null: any. */
    buyer_tier: Tier | null
    /** null: any. */
    buyer_kyc: KycStatus | null
  }[]
  checked_at: string
  /** null: it can. */
  failing_since: string | null
  uptime: number
}

/** A page of sellers. */
export interface SellerList {
  sellers: Seller[]
  pagination: Pagination
}

/** What can be paid by x402. */
export interface X402Supported {
  kinds: {
    x402Version: 2
    scheme: 'exact' | 'upto'
    network: 'batua:inr' | 'batua:inr-sandbox'
    extra: {
      service: string
      paymentFlow: 'upfront' | 'authorization'
    }
  }[]
  extensions: string[]
  signers: Record<string, string[]>
}

/** Whether the payment was settled. */
export interface X402Settlement {
  success: boolean
  errorReason?: string
  transaction: string
  network: 'batua:inr' | 'batua:inr-sandbox'
  payer?: string
  amount?: string
}

/** Whether the price was paid. */
export interface X402Verification {
  isValid: boolean
  invalidReason?: string
  payer?: string
}

/** Proof of a payment, signed by the service. */
export interface Receipt {
  receipt_id: string
  payment_id: string
  from: string
  from_handle: string
  to: string
  to_handle: string
  /** What the payee received, INR. */
  amount: number
  /** The fee that the payer paid, INR. */
  fee: number
  currency: 'INR'
  /** null for callers that are not a party. */
  reference: string | null
  /** null for callers that are not a party. */
  note: string | null
  created_at: string
  issuer: string
  key_id: string
  /** Ed25519 over the RFC 8785 canonical JSON of the receipt without `signature` and `token`, base64. */
  signature: string
  /** null for callers that are not a party. */
  token: string | null
}

/** Whether the receipt is genuine. */
export interface ReceiptVerification {
  valid: boolean
  reason: 'ok' | 'not_found' | 'bad_signature'
  /** null if there is none. */
  receipt: {
    receipt_id: string
    payment_id: string
    from: string
    from_handle: string
    to: string
    to_handle: string
    /** What the payee received, INR. */
    amount: number
    /** The fee that the payer paid, INR. */
    fee: number
    currency: 'INR'
    /** null for callers that are not a party. */
    reference: string | null
    /** null for callers that are not a party. */
    note: string | null
    created_at: string
    issuer: string
    key_id: string
    /** Ed25519 over the RFC 8785 canonical JSON of the receipt without `signature` and `token`, base64. */
    signature: string
    /** null for callers that are not a party. */
    token: string | null
  } | null
}

/** The web origins at which an agent sells, signed. */
export interface AgentOrigins {
  agent_id: string
  handle: string
  origins: string[]
  signed_at: string
  issuer: string
  key_id: string
  /** Ed25519 over the RFC 8785 canonical JSON of this object without `signature`, base64. */
  signature: string
}

/** A proof that is valid for an hour. */
export interface MembershipProof {
  proof: {
    issuer: string
    agent_id: string
    handle: string
    kyc_status: KycStatus
    network_age_days: number
    tier: Tier
    /** only with `affiliation=true`. */
    platform_id?: string
    /** null if there is none. */
    organization_id?: string | null
    issued_at: string
    expires_at: string
    key_id: string
  }
  /** Ed25519 over the RFC 8785 canonical JSON of `proof`, base64. */
  signature: string
  token: string
}

/** The public key of the agent. */
export interface AgentPublicKey {
  agent_id: string
  algorithm: 'Ed25519'
  /** The agent’s public key, base64 of its 32 bytes. */
  public_key: string
}

/** A signed statement about an agent. */
export interface IdentityVerification {
  agent_id: string
  handle: string
  name: string
  status: AgentStatus
  tier: Tier
  kyc_status: KycStatus
  member_since: string
  /** null if there is none. */
  certificate_id: string | null
  capabilities: Capability[]
  /** The agent’s Ed25519 public key, base64 of its 32 bytes. */
  public_key: string
  origins: string[]
  verified_at: string
  issuer: string
  key_id: string
  /** Ed25519 over the RFC 8785 canonical JSON of this object without `signature` and `token`, base64. */
  signature: string
  token: string
}

/** A signed statement of the service about an agent. */
export interface Certificate {
  id: string
  agent_id: string
  issuer: string
  subject: string
  /** The agent’s Ed25519 public key, base64 of its 32 bytes. */
  public_key: string
  capabilities: Capability[]
  tier: Tier
  owner_id?: string
  issued_at: string
  expires_at: string
  key_id: string
  signature: string
  status: 'active' | 'revoked' | 'expired'
  revoked_at: string | null
  revocation_reason: string | null
  token: string
}

/** A page of certificates. */
export interface CertificateList {
  certificates: Certificate[]
  pagination: Pagination
}

/** The new certificate, and the one that it replaces. */
export interface CertificateRotation {
  certificate: {
    id: string
    agent_id: string
    issuer: string
    subject: string
    /** The agent’s Ed25519 public key, base64 of its 32 bytes. */
    public_key: string
    capabilities: Capability[]
    tier: Tier
    owner_id?: string
    issued_at: string
    expires_at: string
    key_id: string
    signature: string
    status: 'active' | 'revoked' | 'expired'
    revoked_at: string | null
    revocation_reason: string | null
    token: string
  }
  revoked_certificate_id: string
}

/** Whether the certificate is valid now. */
export interface CertificateVerification {
  valid: boolean
  reason: 'ok' | 'not_found' | 'bad_signature' | 'revoked' | 'expired'
}

/** The newest checkpoint. */
export interface Checkpoint {
  /** The signed tree head as a C2SP note: origin, size, base64 root, and the signature of a published key. */
  checkpoint: string
}

/** The proof that the log only grew. */
export interface ConsistencyProof {
  from: number
  to: number
  proof: string[]
}

/** One recorded change. */
export interface AuditEntry {
  audit_id: string
  /** null if there is none. */
  agent_id: string | null
  actor: {
    type: 'platform' | 'agent' | 'app' | 'owner' | 'admin' | 'public' | 'service'
    id: string
    name?: string
  }
  action: string
  target: string
  /** their fields depend on the action. null for callers that may not read the agent’s trail. */
  data: Record<string, unknown> | null
  created_at: string
  hash: string
}

/** A page of the trail. */
export interface AuditTrail {
  entries: AuditEntry[]
  pagination: Pagination
}

/** Whether an entry is genuine, with the proof. */
export interface AuditVerification {
  valid: boolean
  reason: 'ok' | 'not_found' | 'pending' | 'altered' | 'not_in_log' | 'bad_checkpoint'
  /** null if there is none, or if it is not in the log. */
  entry: {
    audit_id: string
    /** null if there is none. */
    agent_id: string | null
    actor: {
      type: 'platform' | 'agent' | 'app' | 'owner' | 'admin' | 'public' | 'service'
      id: string
      name?: string
    }
    action: string
    target: string
    /** their fields depend on the action. null for callers that may not read the agent’s trail. */
    data: Record<string, unknown> | null
    created_at: string
    hash: string
  } | null
  leaf_index: number | null
  tree_size: number | null
  root_hash: string | null
  inclusion_proof: string[]
  /** The signed tree head as a C2SP note: origin, size, base64 root, and the signature of a published key. */
  checkpoint: string | null
}

/** The service’s keys as a JSON Web Key Set. */
export interface Jwks {
  keys: {
    kty: 'OKP'
    crv: 'Ed25519'
    x: string
    kid: string
    alg: 'EdDSA'
    use?: 'sig'
    key_ops?: 'verify'[]
    active_from: string
    /** null while no other key follows it. */
    retired_at: string | null
    /** null for a key that is not revoked. */
    revoked_at: string | null
  }[]
}

/** The public keys that verify every signature of the service offline. */
export interface ServiceKeys {
  platform: string
  algorithm: 'Ed25519'
  /** The active key, base64 of its 32 bytes. */
  public_key: string
  key_id: string
  keys: {
    key_id: string
    /** The key, base64 of its 32 bytes. */
    public_key: string
    /** A revoked key’s signatures count only with an inclusion proof under a checkpoint of another key. */
    status: 'active' | 'retired' | 'revoked'
    active_from: string
    /** null while no other key follows it. */
    retired_at: string | null
    /** null for a key that is not revoked. */
    revoked_at: string | null
  }[]
}

/** A delivery with its request and its attempts. */
export interface WebhookDeliveryDetails {
  delivery_id: string
  event_id: string
  event: EventName
  /** null if there is none. */
  url: string | null
  /** `pending` while attempts are scheduled, `delivered` after a 2xx response, `failed` after the last attempt. */
  status: 'pending' | 'delivered' | 'failed'
  attempts: number
  /** null without one. */
  response_status: number | null
  /** Why the last attempt failed; null if it did not. */
  last_error: string | null
  /** null if there is none. */
  next_attempt_at: string | null
  created_at: string
  delivered_at: string | null
  attempt_history: {
    at: string
    duration_ms: number
    /** null without one. */
    response_status: number | null
    /** Why it failed; null if it did not. */
    error: string | null
  }[]
  /** null if the event failed verification, so that it is not sent. */
  request: {
    headers: Record<string, string>
    body: string
  } | null
}

/** An event. */
export interface LoggedEvent {
  event_id: string
  event: EventName
  delivery_id: string
  created_at: string
  /** null if the event failed verification. */
  body: string | null
}

/** A page of events. */
export interface EventList {
  events: LoggedEvent[]
  pagination: Pagination
}

/** A delivery: one event for one platform. */
export interface WebhookDelivery {
  delivery_id: string
  event_id: string
  event: EventName
  /** null if there is none. */
  url: string | null
  /** `pending` while attempts are scheduled, `delivered` after a 2xx response, `failed` after the last attempt. */
  status: 'pending' | 'delivered' | 'failed'
  attempts: number
  /** null without one. */
  response_status: number | null
  /** Why the last attempt failed; null if it did not. */
  last_error: string | null
  /** null if there is none. */
  next_attempt_at: string | null
  created_at: string
  delivered_at: string | null
}

/** A page of deliveries. */
export interface WebhookDeliveryList {
  deliveries: WebhookDelivery[]
  pagination: Pagination
}

/** The other sessions have ended. */
export interface OtherSessionsEnded {
  ended: number
}

/** The session has ended. */
export interface SessionEnded {
  session_id: string
  ended: true
}

/** The options for a login. */
export interface PasskeyLoginOptions {
  challenge: string
  rpId: string
  timeout: number
  allowCredentials: {
    id: string
    type: 'public-key'
    transports: ('ble' | 'cable' | 'hybrid' | 'internal' | 'nfc' | 'smart-card' | 'usb')[]
  }[]
  userVerification: 'required'
}

export interface Session {
  session_id: string
  created_at: string
  last_used_at: string
  /** null: unknown. */
  address_hint: string | null
  /** null: unknown. */
  agent_hint: string | null
  current: boolean
}

/** The open sessions. */
export interface Sessions {
  sessions: Session[]
}

/** An owner of the session, and its platform. */
export interface SessionOwner {
  owner_id: string
  platform_id: string
  platform_name: string
}

/** The new session. */
export interface OwnerSession {
  owner_ids: string[]
  owners: SessionOwner[]
  invitations: number
  expires_at: string
}

/** The new session. */
export interface PlatformSession {
  platform_id: string
  expires_at: string
}

/** The session has ended. */
export interface OwnerLoggedOut {
  logged_out: true
}

/** The session has ended. */
export interface AdminLoggedOut {
  logged_out: true
}

/** The session has ended. */
export interface PlatformLoggedOut {
  logged_out: true
}

/** The code was sent, if the phone is known. */
export interface AdminOtpSent {
  /** Always true, also for an unknown phone. */
  sent: true
  expires_in: number
}

/** The code was sent, if the phone is known. */
export interface OtpSent {
  /** Always true, also for an unknown phone. */
  sent: true
  expires_in: number
}

/** The new session. */
export interface AdminSession {
  expires_at: string
}

/** A passkey of the person of this session. */
export interface Passkey {
  passkey_id: string
  audit_id: string
  name: string
  created_at: string
  effective_at: string
  /** null: it is not removed. */
  removed_at: string | null
  /** null: never. */
  last_used_at: string | null
}

/** The options for a new passkey. */
export interface PasskeyCreationOptions {
  challenge: string
  rp: {
    id: string
    name: string
  }
  user: {
    id: string
    name: string
    displayName: string
  }
  pubKeyCredParams: {
    type: 'public-key'
    alg: number
  }[]
  timeout: number
  attestation: 'none'
  excludeCredentials: {
    id: string
    type: 'public-key'
    transports: ('ble' | 'cable' | 'hybrid' | 'internal' | 'nfc' | 'smart-card' | 'usb')[]
  }[]
  authenticatorSelection: {
    residentKey: 'required'
    requireResidentKey: true
    userVerification: 'required'
  }
}

/** The passkeys of this person. */
export interface Passkeys {
  passkeys: Passkey[]
}

/** The owner, which the session now covers. */
export interface InvitationAccepted {
  owner_id: string
  name: string
  phone: string
  email: string | null
  pan: string
  kyc_status: KycStatus
  /** Why the last submitted account is not verified; null if it is. */
  reason: string | null
  tier: Tier
  status: 'active' | 'frozen'
  /** Until then no session covers it, so approvals of its agents wait until they expire. */
  link_status: 'accepted' | 'invited' | 'declined'
  bank_account_last4: string | null
  bank_ifsc: string | null
  pending_bank_account: {
    last4: string
    ifsc: string
    effective_at: string
  } | null
  created_at: string
  platform_id: string
  platform_name: string
}

/** The owner’s limits after the change. */
export interface UpdatedOwnerPolicy {
  owner_id: string
  /** The spend policy controls. null: no limit in this layer; 0: nothing is allowed. */
  policy: Policy
  pending_policy: PendingPolicy
  /** Only if a change of a payee list leaves agents without an allowed payee: which agents, and until when. */
  warnings?: string[]
}

/** The owner, which no session covers. */
export interface InvitationDeclined {
  owner_id: string
  name: string
  phone: string
  email: string | null
  pan: string
  kyc_status: KycStatus
  /** Why the last submitted account is not verified; null if it is. */
  reason: string | null
  tier: Tier
  status: 'active' | 'frozen'
  /** Until then no session covers it, so approvals of its agents wait until they expire. */
  link_status: 'accepted' | 'invited' | 'declined'
  bank_account_last4: string | null
  bank_ifsc: string | null
  pending_bank_account: {
    last4: string
    ifsc: string
    effective_at: string
  } | null
  created_at: string
  platform_id: string
  platform_name: string
}

/** The owner’s limits. */
export interface OwnerPolicy {
  owner_id: string
  /** The spend policy controls. null: no limit in this layer; 0: nothing is allowed. */
  policy: Policy
  pending_policy: PendingPolicy
}

/** The person of this session. */
export interface Me {
  phone: string
  owners: Owner[]
  expires_at: string
}

/** An agent with its money, the limit over a time of which it has used most, and the newest line of its statement; null where there is none. */
export interface AgentSummary {
  agent: Agent
  /** The balance that can be spent now, INR. */
  available: number
  /** What escrow holds of its money, INR. */
  held: number
  /** What payees can capture at any moment, INR. */
  authorized: number
  /** What waits for the owner’s decision, INR, without fees. */
  pending_approvals: number
  tightest: PolicyHeadroom | null
  last_transaction: Transaction | null
}

/** A page of agents with their money. */
export interface AgentSummaryList {
  agents: AgentSummary[]
  pagination: Pagination
}

/** The figures of one wallet in INR. */
export interface AgentBalance {
  agent_id: string
  agent_name: string
  handle: string
  status: AgentStatus
  /** The balance that can be spent now, INR. */
  available: number
  /** The total credited, INR. */
  total_funded: number
  /** The total of outgoing payments and their fees, INR. */
  total_spent: number
}

/** A page of balances, and the sums over all of them. */
export interface BalanceList {
  balances: AgentBalance[]
  pagination: Pagination
  total: {
    /** The balance that can be spent now, INR. */
    available: number
    /** The total credited, INR. */
    total_funded: number
    /** The total of outgoing payments and their fees, INR. */
    total_spent: number
  }
}

/** The sums over all agents, on every page the same. */
export interface ExposureTotal {
  /** The most within the next 60 minutes of all agents, INR. */
  hour: number
  /** The most within the next 24 hours of all agents, INR. */
  day: number
  /** The most within the next 30 times 24 hours of all agents, INR. */
  month: number
  /** What escrow holds of all agents, INR. */
  held: number
  /** What payees can capture of all agents, INR. */
  authorized: number
  /** What waits for a decision of all agents, INR. */
  pending_approvals: number
}

/** The exposure of one agent. */
export interface AgentExposure {
  agent_id: string
  hour: MostPaid
  day: MostPaid
  month: MostPaid
  /** What escrow holds of the agent’s money, INR. */
  held: number
  /** What payees can capture at any moment, INR. */
  authorized: number
  /** What waits for the owner’s decision, INR, without fees. */
  pending_approvals: number
}

/** The exposure of the owner’s agents. */
export interface ExposureList {
  as_of: string
  total: ExposureTotal
  agents: AgentExposure[]
  pagination: Pagination
}

/** An owner that a platform created for this phone, and that its holder has not accepted. */
export interface Invitation {
  owner_id: string
  platform_id: string
  platform_name: string
  created_at: string
}

/** A page of invitations. */
export interface InvitationList {
  invitations: Invitation[]
  pagination: Pagination
}

/** A page of the statements. */
export interface OwnerTransactionList {
  transactions: Transaction[]
  pagination: Pagination
  /** Only with `search`, and only if older transactions were not searched: the time of the oldest one that was. */
  searched_from?: string
}

/** No agent is active. */
export interface AgentsPaused {
  paused: number
}

/** The browser is added. */
export interface PushSubscriptionCreated {
  subscription_id: string
  /** null: unknown. */
  agent_hint: string | null
  created_at: string
  /** null: never. */
  last_notified_at: string | null
  current: boolean
}

/** The browser is removed. */
export interface PushSubscriptionEnded {
  subscription_id: string
  ended: true
}

/** A payment or hold of an agent waits for the owner. */
export interface NotificationChannels {
  push: boolean
  message: boolean
}

/** Which notifications are sent, and how. */
export interface NotificationKinds {
  approval_requested: NotificationChannels
  approval_expired: NotificationChannels
  agent_stopped: NotificationChannels
  payout_completed: NotificationChannels
  payout_failed: NotificationChannels
  funding_reversed: NotificationChannels
  bank_account_checked: NotificationChannels
  app_connected: NotificationChannels
}

/** Which notifications you receive, and how. */
export interface NotificationSettings {
  kinds: NotificationKinds
  language: 'en' | 'hi'
  push_public_key: string
  message_available: boolean
}

export interface PushSubscription {
  subscription_id: string
  /** null: unknown. */
  agent_hint: string | null
  created_at: string
  /** null: never. */
  last_notified_at: string | null
  current: boolean
}

/** The browsers in which you are notified. */
export interface PushSubscriptions {
  push_subscriptions: PushSubscription[]
}

/** The settings now. */
export interface NotificationSettingsUpdated {
  kinds: NotificationKinds
  language: 'en' | 'hi'
  push_public_key: string
  message_available: boolean
}

/** The result for each agent. */
export interface BulkResults {
  results: {
    agent_id: string
    /** null if there is no such agent. */
    status: AgentStatus | null
    /** null if it is in the requested state. */
    error: {
      code: ErrorCode
      message: string
    } | null
  }[]
}

/** The frozen owner, and the number of agents that were frozen with it. */
export interface FrozenOwner {
  owner_id: string
  name: string
  phone: string
  email: string | null
  pan: string
  kyc_status: KycStatus
  /** Why the last submitted account is not verified; null if it is. */
  reason: string | null
  tier: Tier
  status: 'active' | 'frozen'
  /** Until then no session covers it, so approvals of its agents wait until they expire. */
  link_status: 'accepted' | 'invited' | 'declined'
  bank_account_last4: string | null
  bank_ifsc: string | null
  pending_bank_account: {
    last4: string
    ifsc: string
    effective_at: string
  } | null
  created_at: string
  platform_id: string
  agents_affected: number
}

/** Payments by day and requests to pay by hour. */
export interface Activity {
  days: {
    day: string
    count: number
    /** The sum that payees received, INR. */
    volume: number
    /** The fees that payers paid in addition, INR. */
    fees: number
  }[]
  hours: {
    from: string
    accepted: number
    refused: {
      code: ErrorCode
      count: number
    }[]
    /** null without one. */
    p50_ms: number | null
    /** null without one. */
    p99_ms: number | null
  }[]
}

/** Figures of the whole service. */
export interface Overview {
  platforms: number
  owners: number
  agents: {
    total: number
    active: number
    paused: number
    quarantined: number
    frozen: number
    deactivated: number
  }
  /** The sum of all wallets, INR. */
  float: number
  /** The money in escrow, INR. */
  escrow_held: number
  /** The money that payers set aside for captures, INR, with the fees on it. */
  authorized: number
  payments: {
    today: {
      count: number
      /** The sum that payees received, INR. */
      volume: number
      /** The fees that payers paid in addition, INR. */
      fees: number
    }
    last_30_days: {
      count: number
      /** The sum that payees received, INR. */
      volume: number
      /** The fees that payers paid in addition, INR. */
      fees: number
    }
  }
  payouts_pending: {
    count: number
    /** Their sum, INR. */
    amount: number
  }
  negative_wallets: {
    count: number
    /** The sum that they owe, INR. */
    amount: number
  }
  pending_approvals: number
  open_alerts: number
  failed_deliveries: number
  ledger: {
    /** null before the first ledger check. */
    balanced: boolean | null
    /** null before the first one. */
    checked_at: string | null
    /** null before the first check. */
    sums: {
      /** The balance of every system account by its name, and of all wallets together, INR. */
      balances: Record<string, number>
      differences: {
        /** The balances of the wallets minus the sum of their transfers, INR. */
        wallets: number
        /** The balance of the escrow account minus the open escrows, INR. */
        escrow: number
        /** The balance of the authorizations account minus what is left of the authorizations, INR. */
        authorizations: number
        /** The balance of the payouts account minus the pending payouts, INR. */
        payouts: number
      }
    } | null
  }
  reconciliation: {
    /** null before the first one. */
    differences: number | null
    /** null before the first one. */
    checked_at: string | null
  }
}

/** An owner, its agents by state, and the sum of their balances. */
export interface OwnerAccountDetails {
  owner_id: string
  name: string
  phone: string
  email: string | null
  pan: string
  kyc_status: KycStatus
  /** Why the last submitted account is not verified; null if it is. */
  reason: string | null
  tier: Tier
  status: 'active' | 'frozen'
  /** Until then no session covers it, so approvals of its agents wait until they expire. */
  link_status: 'accepted' | 'invited' | 'declined'
  bank_account_last4: string | null
  bank_ifsc: string | null
  pending_bank_account: {
    last4: string
    ifsc: string
    effective_at: string
  } | null
  created_at: string
  platform_id: string
  agents: {
    total: number
    active: number
    paused: number
    quarantined: number
    frozen: number
    deactivated: number
  }
  /** The sum of its agents’ balances, INR. */
  total_balance: number
}

/** The evidence when the alert was opened. */
export interface RiskEvidence {
  summary: string
  from: string
  to: string
  /** amounts in INR. */
  figures: Record<string, number>
  /** amounts in INR. */
  thresholds: Record<string, number>
  payment_ids: string[]
  agent_ids: string[]
}

/** An alert with the payments and agents of its evidence. */
export interface RiskAlertDetails {
  alert_id: string
  /** The agent concerned; null if none is. */
  agent_id: string | null
  /** null if the service itself is concerned. */
  platform_id: string | null
  rule: RiskRule
  severity: 'low' | 'medium' | 'high'
  score: number
  /** It does not change while the alert is open. */
  evidence: RiskEvidence
  status: 'open' | 'dismissed' | 'confirmed'
  note: string | null
  created_at: string
  /** null while it is open. */
  reviewed_at: string | null
  payments: {
    payment_id: string
    /** null if it is no agent. */
    from_agent_id: string | null
    /** null if it is no agent. */
    to_agent_id: string | null
    /** The amount, INR. */
    amount: number
    created_at: string
  }[]
  agents: {
    agent_id: string
    name: string
    handle: string
    owner_id: string
    status: AgentStatus
  }[]
}

/** The agent’s score and its parts. */
export interface RiskScore {
  agent_id: string
  score: number
  factors: {
    rule: RiskRule
    points: number
    detail: string
  }[]
  computed_at: string
}

/** An owner and the platform that registered it. */
export interface OwnerAccount {
  owner_id: string
  name: string
  phone: string
  email: string | null
  pan: string
  kyc_status: KycStatus
  /** Why the last submitted account is not verified; null if it is. */
  reason: string | null
  tier: Tier
  status: 'active' | 'frozen'
  /** Until then no session covers it, so approvals of its agents wait until they expire. */
  link_status: 'accepted' | 'invited' | 'declined'
  bank_account_last4: string | null
  bank_ifsc: string | null
  pending_bank_account: {
    last4: string
    ifsc: string
    effective_at: string
  } | null
  created_at: string
  platform_id: string
}

/** A page of the owners of all platforms. */
export interface OwnerAccountList {
  owners: OwnerAccount[]
  pagination: Pagination
}

/** All checks and their findings. */
export interface CheckList {
  checks: {
    check: 'ledger_check' | 'log_check' | 'reconciliation'
    running: boolean
    /** null before the first. */
    started_at: string | null
    /** null before the first. */
    finished_at: string | null
    open_findings: number
    findings: {
      subject: string
      kind: string
      detail: string
      found_at: string
    }[]
  }[]
}

/** A difference between the ledger and the gateway’s records. */
export interface Difference {
  kind:
    | 'payment_not_credited'
    | 'credited_not_paid'
    | 'amount_differs'
    | 'fee_differs'
    | 'payment_unknown_here'
    | 'refund_not_made'
    | 'refund_status_differs'
    | 'chargeback_not_posted'
    | 'chargeback_unknown_there'
    | 'payout_status_differs'
    | 'payout_amount_differs'
    | 'payout_utr_differs'
    | 'payout_unknown_there'
    | 'settlement_amount_differs'
    | 'unchecked'
  subject: string
  /** null if there is none. */
  agent_id: string | null
  ours: string | null
  theirs: string | null
  /** The amount concerned, INR. */
  amount: number
  found_at: string
}

/** A page of differences. */
export interface DifferenceList {
  differences: Difference[]
  pagination: Pagination
}

/** An event that a platform did not get. */
export interface FailedDelivery {
  delivery_id: string
  event_id: string
  event: EventName
  /** null if there is none. */
  url: string | null
  /** `pending` while attempts are scheduled, `delivered` after a 2xx response, `failed` after the last attempt. */
  status: 'pending' | 'delivered' | 'failed'
  attempts: number
  /** null without one. */
  response_status: number | null
  /** Why the last attempt failed; null if it did not. */
  last_error: string | null
  /** null if there is none. */
  next_attempt_at: string | null
  created_at: string
  delivered_at: string | null
  platform_id: string
  platform_name: string
}

/** A page of failed deliveries. */
export interface FailedDeliveryList {
  deliveries: FailedDelivery[]
  pagination: Pagination
}

/** A wallet that owes money after a chargeback. */
export interface NegativeWallet {
  agent_id: string
  agent_name: string
  owner_id: string
  platform_id: string
  /** The balance, INR: below 0. */
  balance: number
  reversed_at: string
}

/** A page of wallets below zero. */
export interface NegativeWalletList {
  wallets: NegativeWallet[]
  pagination: Pagination
}

/** A finding that an administrator reviews. */
export interface RiskAlert {
  alert_id: string
  /** The agent concerned; null if none is. */
  agent_id: string | null
  /** null if the service itself is concerned. */
  platform_id: string | null
  rule: RiskRule
  severity: 'low' | 'medium' | 'high'
  score: number
  /** It does not change while the alert is open. */
  evidence: RiskEvidence
  status: 'open' | 'dismissed' | 'confirmed'
  note: string | null
  created_at: string
  /** null while it is open. */
  reviewed_at: string | null
}

/** A page of alerts. */
export interface RiskAlertList {
  alerts: RiskAlert[]
  pagination: Pagination
}

/** All rules. */
export interface RiskRuleList {
  rules: {
    rule: RiskRule
    description: string
    /** null if its row is invalid. */
    severity: 'low' | 'medium' | 'high' | null
    /** null if its row is invalid. */
    score: number | null
    enabled: boolean
    /** amounts in INR. */
    thresholds: Record<string, number>
    /** null if it is used. */
    problem: string | null
  }[]
}

/** A wallet that was due and skipped. */
export interface SettlementSkip {
  agent_id: string
  agent_name: string
  owner_id: string
  reason: 'no_verified_bank_account' | 'agent_frozen' | 'agent_quarantined' | 'below_minimum'
  /** The balance that was not paid out, INR. */
  balance: number
}

/** A page of skipped wallets. */
export interface SettlementSkipList {
  skipped: SettlementSkip[]
  pagination: Pagination
}

/** One day’s settlement of unused balances. */
export interface SettlementRun {
  day: string
  status: 'running' | 'finished'
  paid_count: number
  /** The sum that was paid out, INR. */
  paid_amount: number
  skipped: {
    no_verified_bank_account: number
    agent_frozen: number
    agent_quarantined: number
    /** The balance is below 1 INR; the owner can withdraw it. */
    below_minimum: number
  }
  started_at: string
  /** null while it runs. */
  finished_at: string | null
}

/** A page of settlement runs. */
export interface SettlementRunList {
  settlements: SettlementRun[]
  pagination: Pagination
}

/** All tiers. */
export interface TierList {
  tiers: {
    tier: Tier
    /** The maximum of one payment in INR, without its fee. */
    per_tx: number
    /** The maximum in INR in any 24 hours. */
    daily: number
    /** The maximum in INR in a calendar month in IST. */
    monthly: number
    /** A payment above this amount in INR must use escrow. */
    escrow_above: number
    /** A payment above this amount in INR waits for the owner’s approval. */
    approval_above: number
    owners: number
  }[]
}

/** The owner, and the number of agents that were unfrozen with it. */
export interface UnfrozenOwner {
  owner_id: string
  name: string
  phone: string
  email: string | null
  pan: string
  kyc_status: KycStatus
  /** Why the last submitted account is not verified; null if it is. */
  reason: string | null
  tier: Tier
  status: 'active' | 'frozen'
  /** Until then no session covers it, so approvals of its agents wait until they expire. */
  link_status: 'accepted' | 'invited' | 'declined'
  bank_account_last4: string | null
  bank_ifsc: string | null
  pending_bank_account: {
    last4: string
    ifsc: string
    effective_at: string
  } | null
  created_at: string
  platform_id: string
  agents_affected: number
}

/** The limits that a tier sets for each of its agents. */
export interface TierDefaults {
  tier: Tier
  /** The maximum of one payment in INR, without its fee. */
  per_tx: number
  /** The maximum in INR in any 24 hours. */
  daily: number
  /** The maximum in INR in a calendar month in IST. */
  monthly: number
  /** A payment above this amount in INR must use escrow. */
  escrow_above: number
  /** A payment above this amount in INR waits for the owner’s approval. */
  approval_above: number
}

/** The webhook was accepted. */
export interface GatewayWebhookReceived {
  /** true: accepted; do not send it again. */
  received: boolean
}

/** The new time. */
export interface ClockAdvanced {
  now: string
}

/** The funding after the outcome. */
export interface SandboxPayment {
  payment_session_id: string
  funding_id: string
  status: 'pending' | 'completed' | 'failed'
}

/** The messages of the phone. */
export interface SandboxMessages {
  messages: {
    text: string
    sent_at: string
  }[]
}

/** The messages of the phone. */
export interface SandboxOtp {
  code: string
}

/** The process is alive. */
export interface Health {
  status: 'ok'
}

/** The service is ready for requests. */
export interface Readiness {
  status: 'ready'
}

/** The figures of `insufficient_balance`. */
export interface InsufficientBalanceDetails {
  balance: number
  required: number
  amount: number
  fee: number
}

/** What the key was used for. */
export interface IdempotencyDetails {
  /** null while it waits for approval. */
  payment_id?: string | null
  refund_id?: string
  /** null while it waits for approval. */
  escrow_id?: string | null
  /** null while it waits for approval. */
  authorization_id?: string | null
  transaction_id?: string
  approval_id?: string
  status?: string
  agent_id?: string
  /** The amount of an allocation, INR. */
  amount?: number
  same_request?: boolean
}

/** The details of a refusal by a limit. */
export interface PolicyRefusal {
  rule:
    | 'spend_limit_per_tx'
    | 'spend_limit_hourly'
    | 'spend_limit_daily'
    | 'spend_limit_monthly'
    | 'allowed_payees'
    | 'blocked_payee_agents'
    | 'per_counterparty_daily_limit'
    | 'max_counterparties_per_hour'
    | 'require_escrow_above'
    | 'require_human_approval_above'
    | 'budget_limit'
  layer: 'tier' | 'owner' | 'org' | 'agent' | 'app'
  limit: number
  used: number
  remaining: number
  /** INR. */
  max_amount_now: number
  retry_at?: string
  policy_version: string
}

/** A wallet was funded. */
export interface AgentFunded {
  agent_id: string
  /** What the owner paid, INR. */
  amount: number
  funding_id: string
  /** The gateway’s fee, INR. */
  fee: number
  /** What the wallet was credited, INR. */
  net_amount: number
}

/** A funding failed, expired or was cancelled. */
export interface AgentFundingFailed {
  agent_id: string
  funding_id: string
  /** The requested amount, INR. */
  amount: number
  reason: string
}

/** A funding was reversed by a chargeback. */
export interface AgentFundingReversed {
  agent_id: string
  funding_id: string
  /** What the bank reversed, INR. */
  amount: number
  /** What the wallet was debited, INR. */
  net_amount: number
  /** The balance after it, INR; below 0 the wallet cannot send. */
  balance: number
}

/** One of your agents paid. */
export interface AgentPaymentSent {
  agent_id: string
  payment_id: string
  to: string
  /** What the payee received, INR. */
  amount: number
  /** The fee that the payer paid, INR. */
  fee: number
  reference: string | null
}

/** One of your agents was paid. */
export interface AgentPaymentReceived {
  agent_id: string
  payment_id: string
  from: string
  /** What the payee received, INR. */
  amount: number
  reference: string | null
}

/** A payment was refunded, in whole or in part. */
export interface AgentPaymentRefunded {
  agent_id: string
  refund_id: string
  payment_id: string
  from: string
  to: string
  /** The refunded amount, INR. */
  amount: number
  /** The total refunded of this payment so far, INR. */
  refunded_total: number
}

/** Money of one of your agents was held in escrow. */
export interface AgentEscrowHeld {
  agent_id: string
  escrow_id: string
  from: string
  /** null if none is named. */
  to: string | null
  /** The held amount, INR. */
  amount: number
  reference: string | null
}

/** An escrow was released. */
export interface AgentEscrowReleased {
  agent_id: string
  escrow_id: string
  from: string
  /** null if none is named. */
  to: string | null
  /** The held amount, INR. */
  amount: number
  reference: string | null
}

/** An escrow was refunded. */
export interface AgentEscrowRefunded {
  agent_id: string
  escrow_id: string
  from: string
  /** null if none is named. */
  to: string | null
  /** The held amount, INR. */
  amount: number
  reference: string | null
}

/** Money was set aside for captures by one payee. */
export interface AgentAuthorizationCreated {
  agent_id: string
  authorization_id: string
  from: string
  to: string
  /** The authorized amount, INR. */
  amount: number
  reference: string | null
  expires_at: string
}

/** A payee captured money of an authorization. */
export interface AgentAuthorizationCaptured {
  agent_id: string
  authorization_id: string
  from: string
  to: string
  /** The authorized amount, INR. */
  amount: number
  reference: string | null
  payment_id: string
  receipt_id: string
  /** What was captured, INR. */
  captured_now: number
  /** What was captured in all, INR. */
  captured: number
}

/** An authorization began to close: capture what you are owed until closes_at. */
export interface AgentAuthorizationClosing {
  agent_id: string
  authorization_id: string
  from: string
  to: string
  /** The authorized amount, INR. */
  amount: number
  reference: string | null
  /** null while the payer is frozen or quarantined. */
  closes_at: string | null
}

/** An authorization ended; what was not captured went back to the payer. */
export interface AgentAuthorizationClosed {
  agent_id: string
  authorization_id: string
  from: string
  to: string
  /** The authorized amount, INR. */
  amount: number
  reference: string | null
  status: 'closed' | 'expired' | 'voided'
  /** What was captured in all, INR. */
  captured: number
  /** The fee that the payer paid on it, INR. */
  fee: number
}

/** An unused balance was settled to the owner’s bank. */
export interface AgentSettlementCompleted {
  agent_id: string
  /** What was paid to the bank, INR. */
  amount: number
  utr: string
  transaction_id: string
}

/** A withdrawal reached the owner’s bank. */
export interface AgentWithdrawalCompleted {
  agent_id: string
  /** What was paid to the bank, INR. */
  amount: number
  utr: string
  transaction_id: string
}

/** A payout failed, or the bank returned it. */
export interface AgentWithdrawalFailed {
  agent_id: string
  /** The returned amount, INR. */
  amount: number
  transaction_id: string
  type: 'withdraw' | 'settlement'
  status: 'failed' | 'reversed'
}

/** A payment or hold of one of your agents waits for its owner. */
export interface AgentApprovalRequested {
  approval_id: string
  agent_id: string
  kind: 'payment' | 'escrow_hold' | 'authorization'
  /** null for a hold that names none. */
  to: string | null
  /** The amount, INR, without the fee. */
  amount: number
  /** The fee that would be due, INR; 0 for a hold. */
  fee: number
  reference: string | null
  expires_at: string
  /** null before that, and for others. */
  payment_id: string | null
  /** null before that, and for others. */
  escrow_id: string | null
  /** null before that, and for others. */
  authorization_id: string | null
}

/** The owner approved it, and the payment or hold was made. */
export interface AgentApprovalApproved {
  approval_id: string
  agent_id: string
  kind: 'payment' | 'escrow_hold' | 'authorization'
  /** null for a hold that names none. */
  to: string | null
  /** The amount, INR, without the fee. */
  amount: number
  /** The fee that would be due, INR; 0 for a hold. */
  fee: number
  reference: string | null
  expires_at: string
  /** null before that, and for others. */
  payment_id: string | null
  /** null before that, and for others. */
  escrow_id: string | null
  /** null before that, and for others. */
  authorization_id: string | null
}

/** The owner rejected it; nothing was paid or held. */
export interface AgentApprovalRejected {
  approval_id: string
  agent_id: string
  kind: 'payment' | 'escrow_hold' | 'authorization'
  /** null for a hold that names none. */
  to: string | null
  /** The amount, INR, without the fee. */
  amount: number
  /** The fee that would be due, INR; 0 for a hold. */
  fee: number
  reference: string | null
  expires_at: string
  /** null before that, and for others. */
  payment_id: string | null
  /** null before that, and for others. */
  escrow_id: string | null
  /** null before that, and for others. */
  authorization_id: string | null
  /** null if she gave no reason. */
  rejection_reason: string | null
}

/** The owner did not decide in time; nothing was paid or held. */
export interface AgentApprovalExpired {
  approval_id: string
  agent_id: string
  kind: 'payment' | 'escrow_hold' | 'authorization'
  /** null for a hold that names none. */
  to: string | null
  /** The amount, INR, without the fee. */
  amount: number
  /** The fee that would be due, INR; 0 for a hold. */
  fee: number
  reference: string | null
  expires_at: string
  /** null before that, and for others. */
  payment_id: string | null
  /** null before that, and for others. */
  escrow_id: string | null
  /** null before that, and for others. */
  authorization_id: string | null
}

/** One of your agents was paused, quarantined, frozen, restored or deactivated. */
export interface AgentStatusChanged {
  agent_id: string
  status: AgentStatus
  previous_status: AgentStatus
}

/** An owner connected an app to one of your agents. */
export interface AgentAppConnected {
  agent_id: string
  app_id: string
  name: string
  client_id: string
  scopes: ('wallet:read' | 'payments:write' | 'approvals:request')[]
  /** The most that one payment, hold or refund of the app may be, INR. */
  per_tx: number
  /** The most that the app may spend on a calendar day in IST, INR, without fees. */
  daily: number
  expires_at: string
}

/** A certificate of one of your agents was revoked. */
export interface CertificateRevoked {
  agent_id: string
  certificate_id: string
  reason: string | null
  replaced_by: string | null
  revoked_at: string
}

/** An owner’s bank verification changed. */
export interface OwnerKycUpdated {
  owner_id: string
  kyc_status: KycStatus
  tier: Tier
  /** Why the last submitted account is not verified; null if it is. */
  reason: string | null
}

/** The holder of an owner’s phone accepted or declined the owner, or was invited again. */
export interface OwnerLinkUpdated {
  owner_id: string
  link_status: 'accepted' | 'invited' | 'declined'
}

/** A risk rule opened an alert about one of your agents or your platform. */
export interface RiskAlertOpened {
  alert_id: string
  /** null if the platform is concerned. */
  agent_id: string | null
  rule: RiskRule
  severity: 'low' | 'medium' | 'high'
  score: number
}

/** A test that you requested; nothing happened. */
export interface WebhookTest {
  platform_id: string
}

/** The data of every event, by its name. */
export interface WebhookData {
  'agent.funded': AgentFunded
  'agent.funding.failed': AgentFundingFailed
  'agent.funding.reversed': AgentFundingReversed
  'agent.payment.sent': AgentPaymentSent
  'agent.payment.received': AgentPaymentReceived
  'agent.payment.refunded': AgentPaymentRefunded
  'agent.escrow.held': AgentEscrowHeld
  'agent.escrow.released': AgentEscrowReleased
  'agent.escrow.refunded': AgentEscrowRefunded
  'agent.authorization.created': AgentAuthorizationCreated
  'agent.authorization.captured': AgentAuthorizationCaptured
  'agent.authorization.closing': AgentAuthorizationClosing
  'agent.authorization.closed': AgentAuthorizationClosed
  'agent.settlement.completed': AgentSettlementCompleted
  'agent.withdrawal.completed': AgentWithdrawalCompleted
  'agent.withdrawal.failed': AgentWithdrawalFailed
  'agent.approval.requested': AgentApprovalRequested
  'agent.approval.approved': AgentApprovalApproved
  'agent.approval.rejected': AgentApprovalRejected
  'agent.approval.expired': AgentApprovalExpired
  'agent.status.changed': AgentStatusChanged
  'agent.app.connected': AgentAppConnected
  'certificate.revoked': CertificateRevoked
  'owner.kyc.updated': OwnerKycUpdated
  'owner.link.updated': OwnerLinkUpdated
  'risk.alert.opened': RiskAlertOpened
  'webhook.test': WebhookTest
}

/** What a webhook of one event carries. */
export interface WebhookEventOf<Name extends EventName> {
  /** The name of the event. */
  event: Name
  /** The same as `event`. */
  type: Name
  /** The id of the event; the same on every retry, and equal to the header webhook-id. */
  id: string
  /** When it happened. */
  timestamp: string
  /** The number of the wallet’s transfers up to this event, its own included: of two events of one agent, the one with the greater number happened later. null for events that are not about one agent. */
  sequence: number | null
  data: WebhookData[Name]
}

/** The body of a webhook; `event` names the type of `data`. */
export type WebhookEvent = { [Name in EventName]: WebhookEventOf<Name> }[EventName]
