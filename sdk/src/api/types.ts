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

export type EventName =
  | 'agent.approval.requested'
  | 'agent.approval.approved'
  | 'agent.approval.rejected'
  | 'agent.approval.expired'
  | 'agent.funded'
  | 'agent.funding.failed'
  | 'agent.funding.reversed'
  | 'agent.payment.sent'
  | 'agent.payment.received'
  | 'agent.payment.refunded'
  | 'agent.escrow.held'
  | 'agent.escrow.released'
  | 'agent.escrow.refunded'
  | 'agent.settlement.completed'
  | 'agent.status.changed'
  | 'agent.withdrawal.completed'
  | 'agent.withdrawal.failed'
  | 'certificate.revoked'
  | 'owner.kyc.updated'
  | 'owner.link.updated'
  | 'risk.alert.opened'
  | 'webhook.test'

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
  | 'payment.completed'
  | 'payment.refunded'
  | 'nonce.consumed'
  | 'nonce.restored'
  | 'approval.requested'
  | 'approval.approved'
  | 'approval.rejected'
  | 'approval.expired'
  | 'funding.opened'
  | 'funding.completed'
  | 'funding.failed'
  | 'funding.reversed'
  | 'funding.refunded'
  | 'funding.refund_failed'
  | 'escrow.held'
  | 'escrow.released'
  | 'escrow.refunded'
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
  /** How many to answer, 1 to 100. */
  limit?: number
  /** How many of the newest to skip. */
  offset?: number
  /** The `next_cursor` of the page before. */
  cursor?: string
}

export interface CreatePlatformInput {
  /** The name of the platform. */
  name: string
  /** Where the operator is reached. */
  email?: string
  /** Where webhooks are sent: http or https, in live mode https at a public address. */
  webhook_url?: string
}

export interface GetPlatformInput {
  platform_id: string
}

export interface UpdatePlatformInput {
  platform_id: string
  /** The new name. */
  name?: string
  /** Where the operator is reached; null for none. */
  email?: string | null
  /** Where webhooks are sent: http or https, in live mode https at a public address. */
  webhook_url?: string | null
}

export interface DeletePlatformInput {
  platform_id: string
}

export interface RotatePlatformSecretInput {
  platform_id: string
}

export interface RotateWebhookSecretInput {
  platform_id: string
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

export type ListOwnersInput = PageInput

export interface GetOwnerInput {
  owner_id: string
}

export interface SubmitKycInput {
  owner_id: string
  /** The account number, 9 to 18 digits. */
  bank_account: string
  /** The IFSC of the branch: four letters, a zero, six letters or digits. */
  bank_ifsc: string
}

export interface CancelBankAccountChangeInput {
  owner_id: string
}

export interface InviteOwnerInput {
  owner_id: string
}

export interface CreateAgentInput {
  /** The display name. */
  name: string
  /** A handle has 3 to 32 of the characters a-z, 0-9, _ and -, starts with a letter, and is not an agent id. */
  handle: string
  /** The person behind the agent. */
  owner_id: string
  /** Its Ed25519 public key, the base64 of the 32 raw bytes, when the caller keeps the private key. */
  public_key?: string
  /** Most INR in a single payment. */
  spend_limit_per_tx?: number | null
  /** Most INR in any rolling 60 minutes. */
  spend_limit_hourly?: number | null
  /** Most INR in a calendar day in IST. */
  spend_limit_daily?: number | null
  /** Most INR in a calendar month in IST. */
  spend_limit_monthly?: number | null
  /** Who may be paid: `["network"]` for any active agent, otherwise a list of agent ids; `[]` for nobody. */
  allowed_payees?: string[] | null
  /** Agent ids that may never be paid. */
  blocked_payee_agents?: string[] | null
  /** Most INR to any single agent in a calendar day in IST. */
  per_counterparty_daily_limit?: number | null
  /** Most different recipients in any rolling 60 minutes. */
  max_counterparties_per_hour?: number | null
  /** A payment of more INR than this must go through escrow. */
  require_escrow_above?: number | null
  /** A payment of more INR than this waits for the owner. */
  require_human_approval_above?: number | null
}

export interface ListAgentsInput extends PageInput {
  /** Only agents in this state. */
  status?: AgentStatus
  /** Only agents of this owner. */
  owner_id?: string
  /** Only the agent with this handle, in any case, with or without `@`. */
  handle?: string
}

export interface GetHandleAvailabilityInput {
  /** The wanted handle, in any case, with or without `@`. */
  handle: string
}

export interface GetAgentExistenceInput {
  /** An agent id, or a handle in any case with or without `@`. */
  agent_id: string
}

export interface GetAgentInput {
  agent_id: string
}

export interface UpdateAgentInput {
  agent_id: string
  /** The new display name. */
  name?: string
  /** Where the agent sells: the web origins at which buyers may pay it. */
  origins?: string[]
  /** Most INR in a single payment. */
  spend_limit_per_tx?: number | null
  /** Most INR in any rolling 60 minutes. */
  spend_limit_hourly?: number | null
  /** Most INR in a calendar day in IST. */
  spend_limit_daily?: number | null
  /** Most INR in a calendar month in IST. */
  spend_limit_monthly?: number | null
  /** Who may be paid: `["network"]` for any active agent, otherwise a list of agent ids; `[]` for nobody. */
  allowed_payees?: string[] | null
  /** Agent ids that may never be paid. */
  blocked_payee_agents?: string[] | null
  /** Most INR to any single agent in a calendar day in IST. */
  per_counterparty_daily_limit?: number | null
  /** Most different recipients in any rolling 60 minutes. */
  max_counterparties_per_hour?: number | null
  /** A payment of more INR than this must go through escrow. */
  require_escrow_above?: number | null
  /** A payment of more INR than this waits for the owner. */
  require_human_approval_above?: number | null
}

export interface DeactivateAgentInput {
  agent_id: string
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

export interface GetAgentPolicyInput {
  agent_id: string
  /** A counterparty, by agent id or handle, to see its limits too. */
  to?: string
}

export interface CancelPendingPolicyInput {
  agent_id: string
  /** The control whose waiting change is dropped. */
  control: string
}

export interface EvaluatePolicyInput {
  /** The paying agent. */
  agent_id: string
  /** The payee: an agent id, or a handle in any case with or without `@`. */
  to: string
  /** What the payee would get, INR, at most two decimals. */
  amount: number
}

export interface GetBalanceInput {
  agent_id: string
}

export interface CreateFundingInput {
  agent_id: string
  /** What the owner pays, INR, at least 1. */
  amount: number
  /** How the owner shall pay; `link` lets the owner choose. */
  method?: 'upi' | 'card' | 'netbanking' | 'link'
}

export interface GetFundingInput {
  agent_id: string
  funding_id: string
}

export interface CreateUpiCollectInput {
  agent_id: string
  /** What the owner pays, INR, at least 1. */
  amount: number
  /** The owner’s UPI id. */
  upi_id: string
}

export interface WithdrawInput {
  agent_id: string
  /** What to withdraw, INR: any amount above 0 that the wallet has; absent: all. */
  amount?: number
}

export interface PayInput {
  /** The paying agent. */
  agent_id: string
  /** The payee: an agent id, or a handle in any case with or without `@`. */
  to: string
  /** What the payee gets, INR, at most two decimals. */
  amount: number
  /** Your own reference, stored unchanged; in pay-per-call the nonce. */
  reference?: string
  /** What it is for, at most 500 characters. */
  note?: string
  /** One key for one purchase. */
  idempotency_key?: string
  /** Refuse with `conflict` when you have already paid this payee with this `reference`, or such a payment waits for approval. */
  unique_reference?: boolean
  /** Answer the signed receipt’s `token` too. */
  receipt_token?: boolean
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

export interface RefundPaymentInput {
  payment_id: string
  /** How much to give back, INR; absent: all that is left. */
  amount?: number
  /** One key for one refund. */
  idempotency_key?: string
}

export interface ListApprovalsInput extends PageInput {
  /** Only those of this status. */
  status?: ApprovalStatus
  /** Only those of this agent. */
  agent_id?: string
}

export interface GetApprovalInput {
  approval_id: string
}

export interface ApproveInput {
  approval_id: string
}

export interface RejectInput {
  approval_id: string
}

export interface HoldEscrowInput {
  /** The agent whose money is set aside. */
  agent_id: string
  /** What is set aside, INR. */
  amount: number
  /** Your reference. */
  reference?: string
  /** Who shall have the money: an agent id or a handle. */
  to_agent_id?: string
}

export interface HoldEscrowWithTimeoutInput {
  /** The agent whose money is set aside. */
  agent_id: string
  /** What is set aside, INR. */
  amount: number
  /** Your reference. */
  reference?: string
  /** Who shall have the money: an agent id or a handle. */
  to_agent_id?: string
  /** How long the money waits, in hours: more than 0, at most 8760. */
  timeout_hours: number
  /** What happens then. */
  auto_action?: 'refund' | 'release'
}

export interface HoldEscrowWithAttestationInput {
  /** The agent whose money is set aside. */
  agent_id: string
  /** What is set aside, INR. */
  amount: number
  /** Your reference. */
  reference?: string
  /** Who shall have the money: an agent id or a handle. */
  to_agent_id?: string
  /** Who attests: an agent id or a handle, not the payer. */
  attestor_agent_id: string
}

export interface ReleaseEscrowInput {
  escrow_id: string
  /** Who gets the money: an agent id or a handle. */
  to_agent_id?: string
}

export interface RefundEscrowInput {
  escrow_id: string
}

export interface AttestEscrowInput {
  escrow_id: string
}

export interface GetEscrowInput {
  escrow_id: string
}

export interface ListTransactionsInput extends PageInput {
  agent_id: string
  /** Only this type. */
  type?: TransactionType
  /** Only this status. */
  status?: TransactionStatus
  /** The first day in IST, or moment. */
  from_date?: string
  /** The last day in IST, or moment. */
  to_date?: string
}

export interface VerifyTransactionInput {
  /** The payment’s id (`pay_`) or a transaction’s id (`txn_`). */
  txn_id: string
  /** The payee that you expect: an agent id or a handle. */
  expected_payee?: string
  /** The payer that you expect: an agent id or a handle. */
  expected_payer?: string
  /** The least amount that you accept, INR; what is left after refunds is compared. */
  expected_amount?: number
  /** The nonce that you gave out; the payment’s reference must equal it. */
  nonce?: string
  /** Use the nonce up in the same step. */
  consume?: boolean
  /** Your own name for this use: the same one again gets the first answer again, and with it you can undo the use, once. */
  consume_id?: string
}

export interface RestoreNonceInput {
  /** The id that you verified: `pay_` or `txn_`. */
  txn_id: string
  /** The nonce that you used up. */
  nonce: string
  /** The name that you gave that use. */
  consume_id: string
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

export interface VerifyIdentityInput {
  /** The agent’s id or handle. */
  agent_id: string
}

export interface GetPublicKeyInput {
  /** The agent’s id or handle. */
  agent_id: string
}

export interface IssueCertificateInput {
  agent_id: string
  /** What the certificate says of the agent. */
  capabilities?: Capability[]
  /** For how many days it is valid. */
  validity_days?: number
}

export interface ListCertificatesInput extends PageInput {
  agent_id: string
  /** Only those with this status. */
  status?: 'active' | 'revoked' | 'expired'
}

export interface GetCertificateInput {
  cert_id: string
}

export interface VerifyCertificateInput {
  cert_id: string
}

export interface RevokeCertificateInput {
  cert_id: string
  /** Why; shown with the certificate. */
  reason?: string
}

export interface RotateCertificateInput {
  cert_id: string
  /** What the certificate says of the agent. */
  capabilities?: Capability[]
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

export interface GetConsistencyInput {
  /** The earlier tree size, from a checkpoint. */
  from: number
  /** The later tree size, at most that of the newest checkpoint. */
  to: number
}

export interface CreateOrganizationInput {
  /** Its name. */
  name: string
  /** Its size class: 5, 20 or 100 agents. */
  tier: 'tier1' | 'tier2' | 'tier3'
  /** Whose it is. */
  owner_id?: string
}

export interface ListOrganizationsInput extends PageInput {
  /** Only those of this owner. */
  owner_id?: string
}

export interface GetOrganizationInput {
  org_id: string
}

export interface AddMemberInput {
  org_id: string
  agent_id: string
  /** Its role. */
  role: MemberRole
  /** At most this much a month, INR; 0: nothing at all; null: no budget. */
  budget_limit?: number | null
}

export interface UpdateMemberInput {
  org_id: string
  agent_id: string
  /** Its role. */
  role?: MemberRole
  /** At most this much a month, INR; 0: nothing at all; null: no budget. */
  budget_limit?: number | null
}

export interface RemoveMemberInput {
  org_id: string
  agent_id: string
}

export interface NameTreasuryInput {
  org_id: string
  agent_id: string
}

export interface AllocateInput {
  org_id: string
  /** The member that gets it. */
  agent_id: string
  /** How much, INR. */
  amount: number
}

export interface ListOrganizationTransactionsInput extends PageInput {
  org_id: string
}

export interface GetBudgetInput {
  org_id: string
}

export interface ListWebhookDeliveriesInput extends PageInput {
  /** Only those that stand so. */
  status?: 'pending' | 'delivered' | 'failed'
  /** Only events of this name. */
  event?: EventName
}

export interface RetryWebhookDeliveryInput {
  delivery_id: string
}

export interface SendOtpInput {
  /** The phone that gets the code. */
  phone: string
}

export interface VerifyOtpInput {
  /** The phone that got the code. */
  phone: string
  /** The code: six digits. */
  code: string
}

export interface SendAdminOtpInput {
  /** The phone that gets the code. */
  phone: string
}

export interface VerifyAdminOtpInput {
  /** The phone that got the code. */
  phone: string
  /** The code: six digits. */
  code: string
  /** The code of the authenticator app, where the service asks for a second factor. */
  totp?: string
}

export type ListInvitationsInput = PageInput

export interface AcceptInvitationInput {
  owner_id: string
}

export interface DeclineInvitationInput {
  owner_id: string
}

export interface ListOwnerTransactionsInput extends PageInput {
  /** Only the agents of this owner, one of the session’s; another is `not_found`. */
  owner_id?: string
  /** Only this agent. */
  agent_id?: string
  /** Only this type. */
  type?: TransactionType
  /** Only this status. */
  status?: TransactionStatus
  /** The first day in IST, or moment. */
  from_date?: string
  /** The last day in IST, or moment. */
  to_date?: string
}

export interface GetOwnerPolicyInput {
  /** Whose policy; needed when the session covers several owners. */
  owner_id?: string
}

export interface UpdateOwnerPolicyInput {
  /** Whose policy; needed when the session covers several owners. */
  owner_id?: string
  /** Most INR in a single payment. */
  spend_limit_per_tx?: number | null
  /** Most INR in any rolling 60 minutes. */
  spend_limit_hourly?: number | null
  /** Most INR in a calendar day in IST. */
  spend_limit_daily?: number | null
  /** Most INR in a calendar month in IST. */
  spend_limit_monthly?: number | null
  /** Who may be paid: `["network"]` for any active agent, otherwise a list of agent ids; `[]` for nobody. */
  allowed_payees?: string[] | null
  /** Agent ids that may never be paid. */
  blocked_payee_agents?: string[] | null
  /** Most INR to any single agent in a calendar day in IST. */
  per_counterparty_daily_limit?: number | null
  /** Most different recipients in any rolling 60 minutes. */
  max_counterparties_per_hour?: number | null
  /** A payment of more INR than this must go through escrow. */
  require_escrow_above?: number | null
  /** A payment of more INR than this waits for the owner. */
  require_human_approval_above?: number | null
}

export interface CancelOwnerPendingPolicyInput {
  /** The control whose waiting change is dropped. */
  control: string
  /** Whose policy; needed when the session covers several owners. */
  owner_id?: string
}

export interface ListAllOwnersInput extends PageInput {
  /** Only owners in this state. */
  status?: 'active' | 'frozen'
  /** Only owners whose bank verification is so far. */
  kyc_status?: KycStatus
}

export interface GetOwnerAccountInput {
  owner_id: string
}

export interface SetOwnerTierInput {
  owner_id: string
  /** The tier. */
  tier: Tier
}

export interface FreezeOwnerInput {
  owner_id: string
}

export interface UnfreezeOwnerInput {
  owner_id: string
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

export interface UpdateTierInput {
  /** The tier. */
  tier: string
  /** Most INR in a single payment. */
  per_tx?: number
  /** Most INR in any rolling 24 hours. */
  daily?: number
  /** Most INR in a calendar month in IST. */
  monthly?: number
  /** Payments of more INR than this must use escrow. */
  escrow_above?: number
  /** Payments of more INR than this wait for the owner. */
  approval_above?: number
}

export type ListSettlementsInput = PageInput

export interface ListSettlementSkipsInput extends PageInput {
  /** The business day in IST. */
  day: string
  /** Only those left alone for this reason. */
  reason?: 'no_verified_bank_account' | 'agent_frozen' | 'agent_quarantined' | 'below_minimum'
}

export type ListNegativeWalletsInput = PageInput

export interface ListDifferencesInput extends PageInput {
  /** Only those of this kind. */
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

export interface ListRiskAlertsInput extends PageInput {
  /** Only this status. */
  status?: 'open' | 'dismissed' | 'confirmed'
  /** Only this rule’s. */
  rule?: RiskRule
  /** Only this severity. */
  severity?: 'low' | 'medium' | 'high'
  /** Only this agent’s. */
  agent_id?: string
}

export interface ReviewRiskAlertInput {
  alert_id: string
  /** What the look into it showed. */
  decision: 'dismiss' | 'confirm'
  /** Only with `confirm`, and only on an agent. */
  action?: 'quarantine'
  /** What to remember of it. */
  note?: string
}

export interface GetRiskScoreInput {
  agent_id: string
}

export interface ReceiveGatewayNoticeInput {
  /** Which gateway calls. */
  gateway: string
  /** The notice in the gateway’s own format. */
  body: unknown
}

export interface CompleteSandboxPaymentInput {
  payment_session_id: string
  /** What happens. */
  outcome: SandboxOutcome
  /** How it is paid; absent: as asked for, or `upi` for a link. */
  method?: 'upi' | 'card' | 'netbanking'
}

export interface GetSandboxOtpInput {
  /** The phone that got the code. */
  phone: string
}

export interface GetSandboxMessagesInput {
  /** The phone that got the messages. */
  phone: string
}

export interface AdvanceClockInput {
  /** How many seconds to move, at most ten years; 0 does what is due at this moment. */
  advance_seconds: number
}

/** The platform and its two secrets. */
export interface CreatedPlatform {
  platform_id: string
  name: string
  email: string | null
  status: 'active' | 'deleted'
  /** null when none is registered. */
  webhook_url: string | null
  /** When the receiver answered 410 Gone: from then on events wait, and nothing is sent until `webhook_url` is set again. */
  webhook_disabled_at: string | null
  created_at: string
  /** Shown only this once; null in a replayed answer. */
  platform_secret: string | null
  /** Shown only this once; null in a replayed answer. */
  webhook_secret: string | null
}

/** A developer account. */
export interface Platform {
  platform_id: string
  name: string
  email: string | null
  status: 'active' | 'deleted'
  /** null when none is registered. */
  webhook_url: string | null
  /** When the receiver answered 410 Gone: from then on events wait, and nothing is sent until `webhook_url` is set again. */
  webhook_disabled_at: string | null
  created_at: string
}

/** The platform as it ended. */
export interface DeletedPlatform {
  platform_id: string
  name: string
  email: string | null
  status: 'active' | 'deleted'
  /** null when none is registered. */
  webhook_url: string | null
  /** When the receiver answered 410 Gone: from then on events wait, and nothing is sent until `webhook_url` is set again. */
  webhook_disabled_at: string | null
  created_at: string
}

/** The new secret. */
export interface RotatedPlatformSecret {
  platform_id: string
  /** Shown only this once; null in a replayed answer. */
  platform_secret: string | null
}

/** The new secret. */
export interface RotatedWebhookSecret {
  platform_id: string
  /** Shown only this once; null in a replayed answer. */
  webhook_secret: string | null
  previous_secret_expires_at: string
}

/** The person behind agents. */
export interface Owner {
  owner_id: string
  name: string
  phone: string
  email: string | null
  pan: string
  kyc_status: KycStatus
  /** Why the account submitted last is not verified; null when it is. */
  reason: string | null
  tier: Tier
  status: 'active' | 'frozen'
  /** Until then no session covers it: an approval of its agents waits until it expires. */
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

/** Where this page stands in the list. */
export interface Pagination {
  total: number
  limit: number
  offset: number
  next_cursor?: string
}

/** A page of owners. */
export interface OwnerList {
  owners: Owner[]
  pagination: Pagination
}

/** The owner after the check, and what the bank said. */
export interface KycResult {
  owner_id: string
  name: string
  phone: string
  email: string | null
  pan: string
  kyc_status: KycStatus
  /** Why the account submitted last is not verified; null when it is. */
  reason: string | null
  tier: Tier
  status: 'active' | 'frozen'
  /** Until then no session covers it: an approval of its agents waits until it expires. */
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

/** The spend policy controls. null: no limit in this layer; 0: none at all. */
export interface Policy {
  /** Most INR in a single payment. */
  spend_limit_per_tx: number | null
  /** Most INR in any rolling 60 minutes. */
  spend_limit_hourly: number | null
  /** Most INR in a calendar day in IST. */
  spend_limit_daily: number | null
  /** Most INR in a calendar month in IST. */
  spend_limit_monthly: number | null
  allowed_payees: string[]
  blocked_payee_agents: string[]
  /** Most INR to any single agent in a calendar day in IST. */
  per_counterparty_daily_limit: number | null
  max_counterparties_per_hour: number | null
  /** Payments of more INR than this must use escrow. */
  require_escrow_above: number | null
  /** Payments of more INR than this wait for the owner. */
  require_human_approval_above: number | null
}

/** Policy changes that have not taken effect yet; empty when there are none. */
export interface PendingPolicy {
  spend_limit_per_tx?: {
    /** null clears it. */
    value: number | null
    effective_at: string
  }
  spend_limit_hourly?: {
    /** null clears it. */
    value: number | null
    effective_at: string
  }
  spend_limit_daily?: {
    /** null clears it. */
    value: number | null
    effective_at: string
  }
  spend_limit_monthly?: {
    /** null clears it. */
    value: number | null
    effective_at: string
  }
  allowed_payees?: {
    /** null clears it. */
    value: string[] | null
    effective_at: string
  }
  blocked_payee_agents?: {
    /** null clears it. */
    value: string[] | null
    effective_at: string
  }
  per_counterparty_daily_limit?: {
    /** null clears it. */
    value: number | null
    effective_at: string
  }
  max_counterparties_per_hour?: {
    /** null clears it. */
    value: number | null
    effective_at: string
  }
  require_escrow_above?: {
    /** null clears it. */
    value: number | null
    effective_at: string
  }
  require_human_approval_above?: {
    /** null clears it. */
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
  /** How a deactivated agent was stopped when it ended: its money stays until an administrator restores it. */
  held_as: 'frozen' | 'quarantined' | null
  tier: Tier
  origins: string[]
  /** The spend policy controls. null: no limit in this layer; 0: none at all. */
  policy: Policy
  pending_policy: PendingPolicy
  key_last4: string
  created_at: string
  vendor_id: string
  /** Shown only this once; null in a replayed answer. */
  agent_key: string | null
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
  /** How a deactivated agent was stopped when it ended: its money stays until an administrator restores it. */
  held_as: 'frozen' | 'quarantined' | null
  tier: Tier
  origins: string[]
  /** The spend policy controls. null: no limit in this layer; 0: none at all. */
  policy: Policy
  pending_policy: PendingPolicy
  key_last4: string
  created_at: string
  vendor_id?: string
}

/** A page of agents. */
export interface AgentList {
  agents: Agent[]
  pagination: Pagination
}

/** Whether the handle can be taken. */
export interface HandleAvailability {
  handle: string
  available: boolean
  /** Why it is not available; null when it is. */
  reason: 'taken' | 'invalid' | null
}

/** What anybody may know of an agent. */
export interface AgentExistence {
  exists: boolean
  agent_id: string | null
  handle: string | null
  name: string | null
  status: AgentStatus | null
}

/** The agent as it is now. */
export interface UpdatedAgent {
  agent_id: string
  handle: string
  name: string
  owner_id: string
  platform_id: string
  wallet_id: string
  status: AgentStatus
  /** How a deactivated agent was stopped when it ended: its money stays until an administrator restores it. */
  held_as: 'frozen' | 'quarantined' | null
  tier: Tier
  origins: string[]
  /** The spend policy controls. null: no limit in this layer; 0: none at all. */
  policy: Policy
  pending_policy: PendingPolicy
  key_last4: string
  created_at: string
  vendor_id?: string
  /** Only after a change of a payee list that leaves nobody to pay: who can pay nobody, and until when. */
  warnings?: string[]
}

/** The agent as it ended. */
export interface DeactivatedAgent {
  agent_id: string
  handle: string
  name: string
  owner_id: string
  platform_id: string
  wallet_id: string
  status: AgentStatus
  /** How a deactivated agent was stopped when it ended: its money stays until an administrator restores it. */
  held_as: 'frozen' | 'quarantined' | null
  tier: Tier
  origins: string[]
  /** The spend policy controls. null: no limit in this layer; 0: none at all. */
  policy: Policy
  pending_policy: PendingPolicy
  key_last4: string
  created_at: string
  vendor_id?: string
}

/** The new key. */
export interface RotatedAgentKey {
  agent_id: string
  /** Shown only this once; null in a replayed answer. */
  agent_key: string | null
  key_last4: string
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
  layer: PolicyLayer
  window: 'payment' | 'last_hour' | 'last_24_hours' | 'ist_day' | 'ist_month'
  /** The limit: INR, or a number of recipients. */
  limit: number
  /** null for a counterparty limit when no `to` was asked about. */
  used: number | null
  remaining: number | null
  /** null where nothing is used or nothing resets. */
  resets_at: string | null
}

/** An amount above which another way is asked for. */
export interface PolicyThreshold {
  rule: 'require_escrow_above' | 'require_human_approval_above'
  layer: PolicyLayer
  /** The amount that still passes without it, INR. */
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
  /** 0 while the agent is stopped. */
  max_amount_now: number | null
  pending_policy: PendingPolicy
  owner_pending_policy: PendingPolicy
  /** The moment that all of this is true of. */
  as_of: string
}

/** What a payment would come to at this moment. */
export interface PolicyEvaluation {
  decision: 'approved' | 'denied' | 'escrow_required' | 'approval_required'
  /** null when it would be none. */
  code: ErrorCode | null
  message: string
  /** null when there is nothing. */
  details: Record<string, unknown> | null
  /** The amount asked about, INR. */
  amount: number
  /** The fee on it, INR. */
  fee: number
  /** What the payer would be debited, INR. */
  total: number
}

/** The wallet in INR. */
export interface Balance {
  /** What can be spent now, INR. */
  available: number
  /** All that was ever credited, INR: fundings after their fee and incoming payments. */
  total_funded: number
  /** All outgoing payments and their fees, INR. */
  total_spent: number
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

/** A funding as it stands. */
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
  /** What the wallet was credited, INR: amount less fee; null until paid. */
  net_amount: number | null
  checkout_url: string
  created_at: string
  expires_at: string
  /** When the wallet was credited; null when it was not. */
  completed_at: string | null
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
  upi_id: string
  upi_intent: string
  qr: string
  checkout_url: string
  expires_at: string
}

/** Money on its way to the owner’s bank. */
export interface Withdrawal {
  transaction_id: string
  agent_id: string
  /** What leaves the wallet, INR. */
  amount: number
  status: 'pending'
  bank_account_last4: string
  estimated_arrival: string
}

/** What became of the payment. */
export interface PaymentResult {
  /** null while it waits for approval. */
  payment_id: string | null
  status: 'completed' | 'pending_approval'
  /** The sender’s balance after amount and fee, INR; unchanged while it waits. */
  from_balance: number
  /** The fee, INR: 0.5 % of the amount, at least 1. */
  cost: number
  /** there only while it waits. */
  approval_id?: string
  /** absent while it waits. */
  receipt_id?: string
  /** absent while it waits. */
  transaction_id?: string
  /** null while it waits, and where it could not be signed: then read the receipt. */
  receipt_token?: string | null
  created_at: string
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
  /** there only while it waits. */
  approval_id?: string
  /** absent while it waits. */
  receipt_id?: string
  /** absent while it waits. */
  transaction_id?: string
  /** null while it waits, and where it could not be signed: then read the receipt. */
  receipt_token?: string | null
  created_at: string
  from: string
  to: string
  /** What the payee was paid, INR, without the fee. */
  amount: number
  /** What the payee has given back of it so far, INR; 0 when nothing. */
  refunded_total: number
  reference: string | null
}

/** A page of payments. */
export interface PaymentList {
  payments: Payment[]
  pagination: Pagination
}

/** The refund. */
export interface Refund {
  refund_id: string
  payment_id: string
  /** What was given back now, INR. */
  amount: number
  /** What was given back of this payment so far, INR. */
  refunded_total: number
  transaction_id: string
}

/** A payment or hold above the approval threshold. */
export interface Approval {
  approval_id: string
  agent_id: string
  agent_name: string
  kind: 'payment' | 'escrow_hold'
  /** null for a hold that names none. */
  to: string | null
  to_name: string | null
  /** The amount, INR, without the fee. */
  amount: number
  /** The fee that would be due, INR; 0 for a hold. */
  fee: number
  reference: string | null
  note: string | null
  /** null without a timeout. */
  timeout_hours: number | null
  /** null without one. */
  auto_action: 'refund' | 'release' | null
  /** null where none could. */
  attestor_agent_id: string | null
  rule: 'require_human_approval_above'
  /** `pending_approval` until the owner decides or 24 hours have passed. */
  status: ApprovalStatus
  created_at: string
  expires_at: string
  /** null while it waits. */
  decided_at: string | null
  /** null before and for a hold. */
  payment_id: string | null
  /** null before and for a payment. */
  escrow_id: string | null
}

/** A page of approvals. */
export interface ApprovalList {
  approvals: Approval[]
  pagination: Pagination
}

/** The money that was set aside. */
export interface EscrowHeld {
  escrow_id: string
  agent_id: string
  to_agent_id: string | null
  /** null where none may. */
  attestor_agent_id: string | null
  /** What is held, INR. */
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
  status: EscrowStatus
}

/** The approval, and what was made of it. */
export interface ApprovalApproved {
  approval_id: string
  agent_id: string
  agent_name: string
  kind: 'payment' | 'escrow_hold'
  /** null for a hold that names none. */
  to: string | null
  to_name: string | null
  /** The amount, INR, without the fee. */
  amount: number
  /** The fee that would be due, INR; 0 for a hold. */
  fee: number
  reference: string | null
  note: string | null
  /** null without a timeout. */
  timeout_hours: number | null
  /** null without one. */
  auto_action: 'refund' | 'release' | null
  /** null where none could. */
  attestor_agent_id: string | null
  rule: 'require_human_approval_above'
  /** `pending_approval` until the owner decides or 24 hours have passed. */
  status: ApprovalStatus
  created_at: string
  expires_at: string
  /** null while it waits. */
  decided_at: string | null
  /** null before and for a hold. */
  payment_id: string | null
  /** null before and for a payment. */
  escrow_id: string | null
  payment?: PaymentResult
  escrow?: EscrowHeld
}

/** The approval. */
export interface ApprovalRejected {
  approval_id: string
  agent_id: string
  agent_name: string
  kind: 'payment' | 'escrow_hold'
  /** null for a hold that names none. */
  to: string | null
  to_name: string | null
  /** The amount, INR, without the fee. */
  amount: number
  /** The fee that would be due, INR; 0 for a hold. */
  fee: number
  reference: string | null
  note: string | null
  /** null without a timeout. */
  timeout_hours: number | null
  /** null without one. */
  auto_action: 'refund' | 'release' | null
  /** null where none could. */
  attestor_agent_id: string | null
  rule: 'require_human_approval_above'
  /** `pending_approval` until the owner decides or 24 hours have passed. */
  status: ApprovalStatus
  created_at: string
  expires_at: string
  /** null while it waits. */
  decided_at: string | null
  /** null before and for a hold. */
  payment_id: string | null
  /** null before and for a payment. */
  escrow_id: string | null
}

/** Nothing is held yet: the owner has to approve. */
export interface EscrowWaiting {
  agent_id: string
  to_agent_id: string | null
  /** null where none may. */
  attestor_agent_id: string | null
  /** What shall be held, INR. */
  amount: number
  reference: string | null
  /** null without a timeout. */
  auto_action: 'refund' | 'release' | null
  expires_at: null
  created_at: string
  resolved_at: null
  transaction_id: null
  escrow_id: null
  status: 'pending_approval'
  approval_id: string
}

/** The escrow as it ended. */
export interface EscrowResolved {
  escrow_id: string
  agent_id: string
  to_agent_id: string | null
  /** null where none may. */
  attestor_agent_id: string | null
  /** What is held, INR. */
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
  status: EscrowStatus
}

/** The escrow as it ended. */
export interface EscrowRefunded {
  escrow_id: string
  agent_id: string
  to_agent_id: string | null
  /** null where none may. */
  attestor_agent_id: string | null
  /** What is held, INR. */
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
  status: EscrowStatus
}

/** Money that waits for its release. */
export interface Escrow {
  escrow_id: string
  agent_id: string
  to_agent_id: string | null
  /** null where none may. */
  attestor_agent_id: string | null
  /** What is held, INR. */
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
  status: EscrowStatus
}

/** One line of a wallet’s statement. */
export interface Transaction {
  id: string
  type: TransactionType
  /** The amount, INR, without the fee. */
  amount: number
  /** The fee, INR. */
  fee: number
  /** What the wallet gained or lost, INR: fund amount − fee, pay_out amount + fee, else the amount. 0, as the fee, for a funding or payout that failed; while one is pending, what it will be; what was reversed keeps its figures. */
  net_amount: number
  /** null for the bank. */
  counterparty_type: 'agent' | null
  /** null for the bank, and for a hold that is meant for nobody yet. */
  counterparty_id: string | null
  agent_name: string
  /** null for the bank. */
  counterparty_name: string | null
  reference: string | null
  note: string | null
  status: TransactionStatus
  created_at: string
  payment_id?: string
  funding_id?: string
  escrow_id?: string
  utr?: string
}

/** A page of the statement. */
export interface TransactionList {
  transactions: Transaction[]
  pagination: Pagination
}

/** Whether the payment is what the caller expects. */
export interface Verification {
  /** Serve the resource only when this is true. */
  verified: boolean
  reason?: VerifyFailure
  transaction_id: string
  /** null when the caller is not a party to it. */
  from: string | null
  /** null when the caller is not a party to it. */
  to: string | null
  /** What was paid, INR, as a decimal string with two places. */
  amount: string | null
  /** What was given back of it so far, INR, as a decimal string with two places. */
  refunded: string | null
  asset: 'INR'
  created_at: string | null
}

/** Whether the nonce may be used again. */
export interface NonceRestoration {
  nonce: string
  restored: boolean
}

/** Proof of a payment, signed by the service. */
export interface Receipt {
  receipt_id: string
  payment_id: string
  from: string
  from_handle: string
  to: string
  to_handle: string
  /** What the payee got, INR. */
  amount: number
  /** What the payer paid on top, INR. */
  fee: number
  currency: 'INR'
  /** null to strangers. */
  reference: string | null
  /** null to strangers. */
  note: string | null
  created_at: string
  issuer: string
  key_id: string
  /** Ed25519 over the RFC 8785 canonical JSON of the receipt without `signature` and `token`, base64. */
  signature: string
  /** null to strangers. */
  token: string | null
}

/** Whether the receipt is genuine. */
export interface ReceiptVerification {
  valid: boolean
  reason: 'ok' | 'not_found' | 'bad_signature'
  /** null when there is none. */
  receipt: {
    receipt_id: string
    payment_id: string
    from: string
    from_handle: string
    to: string
    to_handle: string
    /** What the payee got, INR. */
    amount: number
    /** What the payer paid on top, INR. */
    fee: number
    currency: 'INR'
    /** null to strangers. */
    reference: string | null
    /** null to strangers. */
    note: string | null
    created_at: string
    issuer: string
    key_id: string
    /** Ed25519 over the RFC 8785 canonical JSON of the receipt without `signature` and `token`, base64. */
    signature: string
    /** null to strangers. */
    token: string | null
  } | null
}

/** A proof to show to anybody for an hour. */
export interface MembershipProof {
  proof: {
    issuer: string
    agent_id: string
    handle: string
    kyc_status: KycStatus
    network_age_days: number
    tier: Tier
    issued_at: string
    expires_at: string
    key_id: string
  }
  /** Ed25519 over the RFC 8785 canonical JSON of `proof`, base64. */
  signature: string
  token: string
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

/** What the service says of an agent, signed. */
export interface IdentityVerification {
  agent_id: string
  handle: string
  name: string
  status: AgentStatus
  tier: Tier
  kyc_status: KycStatus
  member_since: string
  /** null when there is none. */
  certificate_id: string | null
  capabilities: Capability[]
  /** Its Ed25519 public key, base64 of its 32 bytes. */
  public_key: string
  origins: string[]
  verified_at: string
  issuer: string
  key_id: string
  /** Ed25519 over the RFC 8785 canonical JSON of this object without `signature` and `token`, base64. */
  signature: string
  token: string
}

/** The key that the agent signs with. */
export interface AgentPublicKey {
  agent_id: string
  algorithm: 'Ed25519'
  /** The agent’s public key, base64 of its 32 bytes. */
  public_key: string
}

/** What the service vouches for of an agent, signed. */
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

/** Whether the certificate is good now. */
export interface CertificateVerification {
  valid: boolean
  reason: 'ok' | 'not_found' | 'bad_signature' | 'revoked' | 'expired'
}

/** The new certificate and the one it replaces. */
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

/** One act that changed something. */
export interface AuditEntry {
  audit_id: string
  /** null where there is none. */
  agent_id: string | null
  actor: {
    type: 'platform' | 'agent' | 'owner' | 'admin' | 'public' | 'service'
    id: string
  }
  action: string
  target: string
  /** their fields depend on the action. null to strangers. */
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
  /** null when there is none, or none that the log vouches for. */
  entry: {
    audit_id: string
    /** null where there is none. */
    agent_id: string | null
    actor: {
      type: 'platform' | 'agent' | 'owner' | 'admin' | 'public' | 'service'
      id: string
    }
    action: string
    target: string
    /** their fields depend on the action. null to strangers. */
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

/** The newest checkpoint. */
export interface Checkpoint {
  /** The signed tree head as a C2SP note: origin, size, base64 root, and the signature of a published key. */
  checkpoint: string
}

/** That the log only grew. */
export interface ConsistencyProof {
  from: number
  to: number
  proof: string[]
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
  /** null until named. */
  treasury_agent_id: string | null
  created_at: string
}

/** A page of organizations. */
export interface OrganizationList {
  organizations: Organization[]
  pagination: Pagination
}

/** A member of an organization. */
export interface Member {
  org_id: string
  agent_id: string
  agent_name: string
  role: MemberRole
  /** At most this much may it spend in an IST calendar month, INR; null: no budget of its own. */
  budget_limit: number | null
  /** null when none waits. */
  pending_budget: {
    /** What the budget becomes, INR; null: it ends. */
    value: number | null
    effective_at: string
  } | null
  joined_at: string
}

/** Money moved within an organization. */
export interface Allocation {
  org_id: string
  agent_id: string
  /** How much, INR. */
  amount: number
  transaction_id: string
  /** What the treasury has left, INR. */
  treasury_balance: number
  /** What the member has now, INR. */
  agent_balance: number
}

/** A page of transactions. */
export interface OrganizationTransactions {
  transactions: Transaction[]
  pagination: Pagination
}

/** Who may spend how much this month. */
export interface Budget {
  org_id: string
  members: {
    agent_id: string
    agent_name: string
    role: MemberRole
    /** At most this much may it spend in an IST calendar month, INR; null: no budget of its own. */
    budget_limit: number | null
    /** null when none waits. */
    pending_budget: {
      /** What the budget becomes, INR; null: it ends. */
      value: number | null
      effective_at: string
    } | null
    /** What it spent in this IST calendar month, fees apart, INR; before it joined too. */
    spent_this_month: number
    /** What its budget leaves, INR, never below 0; null without a budget. */
    remaining: number | null
  }[]
}

/** A delivery: one event for one platform. */
export interface WebhookDelivery {
  delivery_id: string
  event_id: string
  event: EventName
  /** null when there is no address. */
  url: string | null
  /** `pending` while attempts are to come, `delivered` once the receiver answered 2xx, `failed` when it was given up. */
  status: 'pending' | 'delivered' | 'failed'
  attempts: number
  /** null without one. */
  response_status: number | null
  /** Why the last attempt failed; null when it did not. */
  last_error: string | null
  /** null when it is not tried any more. */
  next_attempt_at: string | null
  created_at: string
  delivered_at: string | null
}

/** A page of deliveries. */
export interface WebhookDeliveryList {
  deliveries: WebhookDelivery[]
  pagination: Pagination
}

/** The code is on its way, if the phone is known. */
export interface OtpSent {
  /** Always true, also for a phone that is unknown here. */
  sent: true
  expires_in: number
}

/** An owner that the session covers, and its platform. */
export interface SessionOwner {
  owner_id: string
  platform_id: string
  platform_name: string
}

/** The session that the cookie opens. */
export interface OwnerSession {
  owner_ids: string[]
  owners: SessionOwner[]
  invitations: number
  expires_at: string
}

/** The session is over. */
export interface OwnerLoggedOut {
  logged_out: true
}

/** The code is on its way, if the phone is known. */
export interface AdminOtpSent {
  /** Always true, also for a phone that is unknown here. */
  sent: true
  expires_in: number
}

/** The session that the cookie opens. */
export interface AdminSession {
  expires_at: string
}

/** The session is over. */
export interface AdminLoggedOut {
  logged_out: true
}

/** The person of this session. */
export interface Me {
  phone: string
  owners: Owner[]
  expires_at: string
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

/** The owner, which the session covers now. */
export interface InvitationAccepted {
  owner_id: string
  name: string
  phone: string
  email: string | null
  pan: string
  kyc_status: KycStatus
  /** Why the account submitted last is not verified; null when it is. */
  reason: string | null
  tier: Tier
  status: 'active' | 'frozen'
  /** Until then no session covers it: an approval of its agents waits until it expires. */
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

/** The owner, which no session covers. */
export interface InvitationDeclined {
  owner_id: string
  name: string
  phone: string
  email: string | null
  pan: string
  kyc_status: KycStatus
  /** Why the account submitted last is not verified; null when it is. */
  reason: string | null
  tier: Tier
  status: 'active' | 'frozen'
  /** Until then no session covers it: an approval of its agents waits until it expires. */
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

/** A page of the statements. */
export interface OwnerTransactionList {
  transactions: Transaction[]
  pagination: Pagination
}

/** The owner’s own limits. */
export interface OwnerPolicy {
  owner_id: string
  /** The spend policy controls. null: no limit in this layer; 0: none at all. */
  policy: Policy
  pending_policy: PendingPolicy
}

/** The owner’s limits as they are now. */
export interface UpdatedOwnerPolicy {
  owner_id: string
  /** The spend policy controls. null: no limit in this layer; 0: none at all. */
  policy: Policy
  pending_policy: PendingPolicy
  /** Only after a change of a payee list that leaves nobody to pay: who can pay nobody, and until when. */
  warnings?: string[]
}

/** The whole service at a glance. */
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
  /** What all wallets hold together, INR. */
  float: number
  /** What is held in escrow, INR. */
  escrow_held: number
  payments: {
    today: {
      count: number
      /** What the payees got, INR. */
      volume: number
      /** What the payers paid on top, INR. */
      fees: number
    }
    last_30_days: {
      count: number
      /** What the payees got, INR. */
      volume: number
      /** What the payers paid on top, INR. */
      fees: number
    }
  }
  payouts_pending: {
    count: number
    /** What they carry, INR. */
    amount: number
  }
  negative_wallets: {
    count: number
    /** What they owe together, INR. */
    amount: number
  }
  pending_approvals: number
  open_alerts: number
  failed_deliveries: number
  ledger: {
    /** null before the first of the book. */
    balanced: boolean | null
    /** null before the first time. */
    checked_at: string | null
    /** null before the first time. */
    sums: {
      /** The balance of every system account by its name, and of all wallets together, INR. */
      balances: Record<string, number>
      differences: {
        /** What the wallets hold more than their transfers say, INR. */
        wallets: number
        /** What escrow holds more than the open escrows say, INR. */
        escrow: number
        /** What is on its way to banks more than the pending payouts say, INR. */
        payouts: number
      }
    } | null
  }
  reconciliation: {
    /** null before the first. */
    differences: number | null
    /** null before the first time. */
    checked_at: string | null
  }
}

/** An owner and the platform that registered it. */
export interface OwnerAccount {
  owner_id: string
  name: string
  phone: string
  email: string | null
  pan: string
  kyc_status: KycStatus
  /** Why the account submitted last is not verified; null when it is. */
  reason: string | null
  tier: Tier
  status: 'active' | 'frozen'
  /** Until then no session covers it: an approval of its agents waits until it expires. */
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

/** An owner, its agents by state, and their money. */
export interface OwnerAccountDetails {
  owner_id: string
  name: string
  phone: string
  email: string | null
  pan: string
  kyc_status: KycStatus
  /** Why the account submitted last is not verified; null when it is. */
  reason: string | null
  tier: Tier
  status: 'active' | 'frozen'
  /** Until then no session covers it: an approval of its agents waits until it expires. */
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
  /** What all its agents hold together, INR. */
  total_balance: number
}

/** The frozen owner, and how many agents were frozen with it. */
export interface FrozenOwner {
  owner_id: string
  name: string
  phone: string
  email: string | null
  pan: string
  kyc_status: KycStatus
  /** Why the account submitted last is not verified; null when it is. */
  reason: string | null
  tier: Tier
  status: 'active' | 'frozen'
  /** Until then no session covers it: an approval of its agents waits until it expires. */
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

/** The owner, and how many agents were unfrozen with it. */
export interface UnfrozenOwner {
  owner_id: string
  name: string
  phone: string
  email: string | null
  pan: string
  kyc_status: KycStatus
  /** Why the account submitted last is not verified; null when it is. */
  reason: string | null
  tier: Tier
  status: 'active' | 'frozen'
  /** Until then no session covers it: an approval of its agents waits until it expires. */
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

/** What became of each agent. */
export interface BulkResults {
  results: {
    agent_id: string
    /** null when there is no such agent. */
    status: AgentStatus | null
    /** null when it is as it was to be. */
    error: {
      code: ErrorCode
      message: string
    } | null
  }[]
}

/** The limits that a tier sets for each of its agents. */
export interface TierDefaults {
  tier: Tier
  /** Most INR in a single payment. */
  per_tx: number
  /** Most INR in any rolling 24 hours. */
  daily: number
  /** Most INR in a calendar month in IST. */
  monthly: number
  /** Payments of more INR than this must use escrow. */
  escrow_above: number
  /** Payments of more INR than this wait for the owner. */
  approval_above: number
}

/** All tiers. */
export interface TierList {
  tiers: TierDefaults[]
}

/** One day’s settlement of unused balances. */
export interface SettlementRun {
  day: string
  status: 'running' | 'finished'
  paid_count: number
  /** What they were paid out, INR. */
  paid_amount: number
  skipped: {
    no_verified_bank_account: number
    agent_frozen: number
    agent_quarantined: number
    /** Less than 1 INR, which is left for the owner to withdraw. */
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

/** A wallet that was due and left alone. */
export interface SettlementSkip {
  agent_id: string
  agent_name: string
  owner_id: string
  reason: 'no_verified_bank_account' | 'agent_frozen' | 'agent_quarantined' | 'below_minimum'
  /** What stayed in the wallet, INR. */
  balance: number
}

/** A page of wallets that were left alone. */
export interface SettlementSkipList {
  skipped: SettlementSkip[]
  pagination: Pagination
}

/** A wallet that owes money after a chargeback. */
export interface NegativeWallet {
  agent_id: string
  agent_name: string
  owner_id: string
  platform_id: string
  /** What it holds, INR: below 0. */
  balance: number
  reversed_at: string
}

/** A page of wallets below zero. */
export interface NegativeWalletList {
  wallets: NegativeWallet[]
  pagination: Pagination
}

/** Something that the book and the gateway tell differently. */
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
  /** null when it is nobody’s. */
  agent_id: string | null
  ours: string | null
  theirs: string | null
  /** What is at stake, INR. */
  amount: number
  found_at: string
}

/** A page of differences. */
export interface DifferenceList {
  differences: Difference[]
  pagination: Pagination
}

/** Why the alert was opened. */
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

/** A finding that an administrator reviews. */
export interface RiskAlert {
  alert_id: string
  /** null when it is about none. */
  agent_id: string | null
  /** null when it is about the service itself. */
  platform_id: string | null
  rule: RiskRule
  severity: 'low' | 'medium' | 'high'
  score: number
  /** It is not rewritten while the alert is open. */
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

/** The agent’s score and what it is made of. */
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

/** All rules. */
export interface RiskRuleList {
  rules: {
    rule: RiskRule
    description: string
    /** null when its row makes no sense. */
    severity: 'low' | 'medium' | 'high' | null
    /** null when its row makes no sense. */
    score: number | null
    enabled: boolean
    /** amounts in INR. */
    thresholds: Record<string, number>
    /** Why its row is not used; null when it is. */
    problem: string | null
  }[]
}

/** Public keys to verify offline whatever the service signed. */
export interface ServiceKeys {
  platform: string
  algorithm: 'Ed25519'
  /** The key in use, base64 of its 32 bytes. */
  public_key: string
  key_id: string
  keys: {
    key_id: string
    /** The key, base64 of its 32 bytes. */
    public_key: string
    /** What a revoked key signed counts only with a proof of inclusion under a checkpoint of another key. */
    status: 'active' | 'retired' | 'revoked'
    active_from: string
    /** null while no other key follows it. */
    retired_at: string | null
    /** null for a key that is not revoked. */
    revoked_at: string | null
  }[]
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

/** The notice was taken. */
export interface GatewayNoticeReceived {
  /** true: do not send it again. */
  received: boolean
}

/** The funding after the outcome. */
export interface SandboxPayment {
  payment_session_id: string
  funding_id: string
  status: 'pending' | 'completed' | 'failed'
}

/** What the phone shows. */
export interface SandboxOtp {
  code: string
}

/** What the phone shows. */
export interface SandboxMessages {
  messages: {
    text: string
    sent_at: string
  }[]
}

/** The new time. */
export interface ClockAdvanced {
  now: string
}

/** The process is alive. */
export interface Health {
  status: 'ok'
}

/** The service takes calls. */
export interface Readiness {
  status: 'ready'
}

/** The figures behind `insufficient_balance`. */
export interface InsufficientBalanceDetails {
  balance: number
  required: number
  amount: number
  fee: number
}

/** The payment that used the key. */
export interface IdempotencyDetails {
  /** null while it waits for approval. */
  payment_id: string | null
  status: 'completed' | 'pending_approval'
  approval_id?: string
}

/** Everything needed to act on a refusal by a limit. */
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
  layer: PolicyLayer
  limit: number
  used: number
  remaining: number
  /** INR. */
  max_amount_now: number
  retry_at?: string
}

/** A payment or hold of an agent of yours waits for its owner. */
export interface AgentApprovalRequested {
  approval_id: string
  agent_id: string
  kind: 'payment' | 'escrow_hold'
  /** null for a hold that names none. */
  to: string | null
  /** The amount, INR, without the fee. */
  amount: number
  /** The fee that would be due, INR; 0 for a hold. */
  fee: number
  reference: string | null
  expires_at: string
  /** null before and for a hold. */
  payment_id: string | null
  /** null before and for a payment. */
  escrow_id: string | null
}

/** The owner approved it, and it was paid or held. */
export interface AgentApprovalApproved {
  approval_id: string
  agent_id: string
  kind: 'payment' | 'escrow_hold'
  /** null for a hold that names none. */
  to: string | null
  /** The amount, INR, without the fee. */
  amount: number
  /** The fee that would be due, INR; 0 for a hold. */
  fee: number
  reference: string | null
  expires_at: string
  /** null before and for a hold. */
  payment_id: string | null
  /** null before and for a payment. */
  escrow_id: string | null
}

/** The owner rejected it; nothing was paid or held. */
export interface AgentApprovalRejected {
  approval_id: string
  agent_id: string
  kind: 'payment' | 'escrow_hold'
  /** null for a hold that names none. */
  to: string | null
  /** The amount, INR, without the fee. */
  amount: number
  /** The fee that would be due, INR; 0 for a hold. */
  fee: number
  reference: string | null
  expires_at: string
  /** null before and for a hold. */
  payment_id: string | null
  /** null before and for a payment. */
  escrow_id: string | null
}

/** The owner did not decide in time; nothing was paid or held. */
export interface AgentApprovalExpired {
  approval_id: string
  agent_id: string
  kind: 'payment' | 'escrow_hold'
  /** null for a hold that names none. */
  to: string | null
  /** The amount, INR, without the fee. */
  amount: number
  /** The fee that would be due, INR; 0 for a hold. */
  fee: number
  reference: string | null
  expires_at: string
  /** null before and for a hold. */
  payment_id: string | null
  /** null before and for a payment. */
  escrow_id: string | null
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
  /** What the owner was asked for, INR. */
  amount: number
  reason: string
}

/** A funding was reversed by a chargeback. */
export interface AgentFundingReversed {
  agent_id: string
  funding_id: string
  /** What the bank took back, INR. */
  amount: number
  /** What the wallet lost, INR. */
  net_amount: number
  /** What the wallet holds now, INR; below 0 nothing can be sent. */
  balance: number
}

/** An agent of yours paid. */
export interface AgentPaymentSent {
  agent_id: string
  payment_id: string
  to: string
  /** What the payee got, INR. */
  amount: number
  /** What the payer paid on top, INR. */
  fee: number
  reference: string | null
}

/** An agent of yours was paid. */
export interface AgentPaymentReceived {
  agent_id: string
  payment_id: string
  from: string
  /** What the payee got, INR. */
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
  /** What went back, INR. */
  amount: number
  /** What has gone back of this payment so far, INR. */
  refunded_total: number
}

/** Money of an agent of yours was put into escrow. */
export interface AgentEscrowHeld {
  agent_id: string
  escrow_id: string
  from: string
  /** null while nobody was named. */
  to: string | null
  /** What is held, INR. */
  amount: number
  reference: string | null
}

/** An escrow was released. */
export interface AgentEscrowReleased {
  agent_id: string
  escrow_id: string
  from: string
  /** null while nobody was named. */
  to: string | null
  /** What is held, INR. */
  amount: number
  reference: string | null
}

/** An escrow was refunded. */
export interface AgentEscrowRefunded {
  agent_id: string
  escrow_id: string
  from: string
  /** null while nobody was named. */
  to: string | null
  /** What is held, INR. */
  amount: number
  reference: string | null
}

/** An unused balance was settled to the owner’s bank. */
export interface AgentSettlementCompleted {
  agent_id: string
  /** What the bank got, INR. */
  amount: number
  utr: string
  transaction_id: string
}

/** An agent of yours was paused, quarantined, frozen, restored or deactivated. */
export interface AgentStatusChanged {
  agent_id: string
  status: AgentStatus
  previous_status: AgentStatus
}

/** A withdrawal reached the owner’s bank. */
export interface AgentWithdrawalCompleted {
  agent_id: string
  /** What the bank got, INR. */
  amount: number
  utr: string
  transaction_id: string
}

/** A payout failed, or the bank returned it. */
export interface AgentWithdrawalFailed {
  agent_id: string
  /** What came back, INR. */
  amount: number
  transaction_id: string
  type: 'withdraw' | 'settlement'
  status: 'failed' | 'reversed'
}

/** A certificate of an agent of yours was revoked. */
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
  /** Why the account submitted last is not verified; null when it is. */
  reason: string | null
}

/** The holder of an owner’s phone accepted or declined the owner, or was invited again. */
export interface OwnerLinkUpdated {
  owner_id: string
  link_status: 'accepted' | 'invited' | 'declined'
}

/** A risk rule raised an alert about an agent of yours or about your platform. */
export interface RiskAlertOpened {
  alert_id: string
  /** null when it is about the platform. */
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
  'agent.approval.requested': AgentApprovalRequested
  'agent.approval.approved': AgentApprovalApproved
  'agent.approval.rejected': AgentApprovalRejected
  'agent.approval.expired': AgentApprovalExpired
  'agent.funded': AgentFunded
  'agent.funding.failed': AgentFundingFailed
  'agent.funding.reversed': AgentFundingReversed
  'agent.payment.sent': AgentPaymentSent
  'agent.payment.received': AgentPaymentReceived
  'agent.payment.refunded': AgentPaymentRefunded
  'agent.escrow.held': AgentEscrowHeld
  'agent.escrow.released': AgentEscrowReleased
  'agent.escrow.refunded': AgentEscrowRefunded
  'agent.settlement.completed': AgentSettlementCompleted
  'agent.status.changed': AgentStatusChanged
  'agent.withdrawal.completed': AgentWithdrawalCompleted
  'agent.withdrawal.failed': AgentWithdrawalFailed
  'certificate.revoked': CertificateRevoked
  'owner.kyc.updated': OwnerKycUpdated
  'owner.link.updated': OwnerLinkUpdated
  'risk.alert.opened': RiskAlertOpened
  'webhook.test': WebhookTest
}

/** What a webhook of one event carries. */
export interface WebhookEventOf<Name extends EventName> {
  /** What happened. */
  event: Name
  /** The same as `event`. */
  type: Name
  /** The event; the same on every retry and equal to the header webhook-id. */
  id: string
  /** When it happened. */
  timestamp: string
  /** How many movements the agent’s wallet had had when it happened, its own included: of two events of one agent the one with the greater number happened later. null for what is not about one agent. */
  sequence: number | null
  data: WebhookData[Name]
}

/** What a webhook carries; `event` tells what `data` are. */
export type WebhookEvent = { [Name in EventName]: WebhookEventOf<Name> }[EventName]
