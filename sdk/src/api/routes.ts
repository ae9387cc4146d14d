// Generated from the contract by sdk/generate.ts; not to be edited.
/* oxlint-disable max-lines */

import type { CallOptions } from '../client/options.ts'
import type * as Types from './types.ts'

/** Every route of the service as a method, by its operationId. */
export interface Api {
  /** Create a platform. */
  readonly createPlatform: (
    input: Types.CreatePlatformInput,
    options?: CallOptions,
  ) => Promise<Types.CreatedPlatform>
  /** Get a platform. */
  readonly getPlatform: (input: Types.GetPlatformInput, options?: CallOptions) => Promise<Types.Platform>
  /** Update a platform. */
  readonly updatePlatform: (
    input: Types.UpdatePlatformInput,
    options?: CallOptions,
  ) => Promise<Types.Platform>
  /** Delete a platform. */
  readonly deletePlatform: (
    input: Types.DeletePlatformInput,
    options?: CallOptions,
  ) => Promise<Types.DeletedPlatform>
  /** Replace the platform secret. */
  readonly rotatePlatformSecret: (
    input: Types.RotatePlatformSecretInput,
    options?: CallOptions,
  ) => Promise<Types.RotatedPlatformSecret>
  /** Replace the webhook secret. */
  readonly rotateWebhookSecret: (
    input: Types.RotateWebhookSecretInput,
    options?: CallOptions,
  ) => Promise<Types.RotatedWebhookSecret>
  /** Create an owner. */
  readonly createOwner: (input: Types.CreateOwnerInput, options?: CallOptions) => Promise<Types.Owner>
  /** List owners. */
  readonly listOwners: (input?: Types.ListOwnersInput, options?: CallOptions) => Promise<Types.OwnerList>
  /** Get an owner. */
  readonly getOwner: (input: Types.GetOwnerInput, options?: CallOptions) => Promise<Types.Owner>
  /** Verify the owner’s bank account. */
  readonly submitKyc: (input: Types.SubmitKycInput, options?: CallOptions) => Promise<Types.KycResult>
  /** Cancel a change of the bank account. */
  readonly cancelBankAccountChange: (
    input: Types.CancelBankAccountChangeInput,
    options?: CallOptions,
  ) => Promise<Types.Owner>
  /** Invite an owner again. */
  readonly inviteOwner: (input: Types.InviteOwnerInput, options?: CallOptions) => Promise<Types.Owner>
  /** Create an agent. */
  readonly createAgent: (input: Types.CreateAgentInput, options?: CallOptions) => Promise<Types.CreatedAgent>
  /** List agents. */
  readonly listAgents: (input?: Types.ListAgentsInput, options?: CallOptions) => Promise<Types.AgentList>
  /** Get the calling agent. */
  readonly getCurrentAgent: (input?: Types.NoInput, options?: CallOptions) => Promise<Types.Agent>
  /** Is a handle free? */
  readonly getHandleAvailability: (
    input: Types.GetHandleAvailabilityInput,
    options?: CallOptions,
  ) => Promise<Types.HandleAvailability>
  /** Does an agent exist? */
  readonly getAgentExistence: (
    input: Types.GetAgentExistenceInput,
    options?: CallOptions,
  ) => Promise<Types.AgentExistence>
  /** Get an agent. */
  readonly getAgent: (input: Types.GetAgentInput, options?: CallOptions) => Promise<Types.Agent>
  /** Change an agent’s policy, name or origins. */
  readonly updateAgent: (input: Types.UpdateAgentInput, options?: CallOptions) => Promise<Types.UpdatedAgent>
  /** Deactivate an agent. */
  readonly deactivateAgent: (
    input: Types.DeactivateAgentInput,
    options?: CallOptions,
  ) => Promise<Types.DeactivatedAgent>
  /** Pause an agent. */
  readonly pauseAgent: (input: Types.PauseAgentInput, options?: CallOptions) => Promise<Types.Agent>
  /** Resume a paused agent. */
  readonly resumeAgent: (input: Types.ResumeAgentInput, options?: CallOptions) => Promise<Types.Agent>
  /** Replace the agent key. */
  readonly rotateAgentKey: (
    input: Types.RotateAgentKeyInput,
    options?: CallOptions,
  ) => Promise<Types.RotatedAgentKey>
  /** See what an agent may still spend. */
  readonly getAgentPolicy: (
    input: Types.GetAgentPolicyInput,
    options?: CallOptions,
  ) => Promise<Types.EffectivePolicy>
  /** Cancel a waiting change of an agent’s policy. */
  readonly cancelPendingPolicy: (
    input: Types.CancelPendingPolicyInput,
    options?: CallOptions,
  ) => Promise<Types.UpdatedAgent>
  /** Evaluate a payment. */
  readonly evaluatePolicy: (
    input: Types.EvaluatePolicyInput,
    options?: CallOptions,
  ) => Promise<Types.PolicyEvaluation>
  /** Get the balance. */
  readonly getBalance: (input: Types.GetBalanceInput, options?: CallOptions) => Promise<Types.Balance>
  /** Fund the wallet. */
  readonly createFunding: (
    input: Types.CreateFundingInput,
    options?: CallOptions,
  ) => Promise<Types.FundingSession>
  /** Get a funding. */
  readonly getFunding: (input: Types.GetFundingInput, options?: CallOptions) => Promise<Types.Funding>
  /** Fund the wallet by UPI. */
  readonly createUpiCollect: (
    input: Types.CreateUpiCollectInput,
    options?: CallOptions,
  ) => Promise<Types.UpiCollect>
  /** Withdraw to the owner’s bank. */
  readonly withdraw: (input: Types.WithdrawInput, options?: CallOptions) => Promise<Types.Withdrawal>
  /** Pay another agent. */
  readonly pay: (input: Types.PayInput, options?: CallOptions) => Promise<Types.PaymentResult>
  /** Get a payment. */
  readonly getPayment: (input: Types.GetPaymentInput, options?: CallOptions) => Promise<Types.Payment>
  /** Find payments. */
  readonly listPayments: (input: Types.ListPaymentsInput, options?: CallOptions) => Promise<Types.PaymentList>
  /** Refund a payment. */
  readonly refundPayment: (input: Types.RefundPaymentInput, options?: CallOptions) => Promise<Types.Refund>
  /** List approvals. */
  readonly listApprovals: (
    input?: Types.ListApprovalsInput,
    options?: CallOptions,
  ) => Promise<Types.ApprovalList>
  /** Get an approval. */
  readonly getApproval: (input: Types.GetApprovalInput, options?: CallOptions) => Promise<Types.Approval>
  /** Approve. */
  readonly approve: (input: Types.ApproveInput, options?: CallOptions) => Promise<Types.ApprovalApproved>
  /** Reject. */
  readonly reject: (input: Types.RejectInput, options?: CallOptions) => Promise<Types.ApprovalRejected>
  /** Set money aside. */
  readonly holdEscrow: (
    input: Types.HoldEscrowInput,
    options?: CallOptions,
  ) => Promise<Types.EscrowHeld | Types.EscrowWaiting>
  /** Set money aside until a timeout. */
  readonly holdEscrowWithTimeout: (
    input: Types.HoldEscrowWithTimeoutInput,
    options?: CallOptions,
  ) => Promise<Types.EscrowHeld | Types.EscrowWaiting>
  /** Set money aside until somebody attests. */
  readonly holdEscrowWithAttestation: (
    input: Types.HoldEscrowWithAttestationInput,
    options?: CallOptions,
  ) => Promise<Types.EscrowHeld | Types.EscrowWaiting>
  /** Release. */
  readonly releaseEscrow: (
    input: Types.ReleaseEscrowInput,
    options?: CallOptions,
  ) => Promise<Types.EscrowResolved>
  /** Refund. */
  readonly refundEscrow: (
    input: Types.RefundEscrowInput,
    options?: CallOptions,
  ) => Promise<Types.EscrowRefunded>
  /** Attest. */
  readonly attestEscrow: (
    input: Types.AttestEscrowInput,
    options?: CallOptions,
  ) => Promise<Types.EscrowResolved>
  /** Get an escrow. */
  readonly getEscrow: (input: Types.GetEscrowInput, options?: CallOptions) => Promise<Types.Escrow>
  /** List transactions. */
  readonly listTransactions: (
    input: Types.ListTransactionsInput,
    options?: CallOptions,
  ) => Promise<Types.TransactionList>
  /** Verify a payment. */
  readonly verifyTransaction: (
    input: Types.VerifyTransactionInput,
    options?: CallOptions,
  ) => Promise<Types.Verification>
  /** Restore a nonce. */
  readonly restoreNonce: (
    input: Types.RestoreNonceInput,
    options?: CallOptions,
  ) => Promise<Types.NonceRestoration>
  /** Get a receipt. */
  readonly getReceipt: (input: Types.GetReceiptInput, options?: CallOptions) => Promise<Types.Receipt>
  /** Verify a receipt. */
  readonly verifyReceipt: (
    input: Types.VerifyReceiptInput,
    options?: CallOptions,
  ) => Promise<Types.ReceiptVerification>
  /** Get a membership proof. */
  readonly getMembershipProof: (
    input?: Types.NoInput,
    options?: CallOptions,
  ) => Promise<Types.MembershipProof>
  /** Where does an agent sell? */
  readonly getAgentOrigins: (
    input: Types.GetAgentOriginsInput,
    options?: CallOptions,
  ) => Promise<Types.AgentOrigins>
  /** Verify an agent’s identity. */
  readonly verifyIdentity: (
    input: Types.VerifyIdentityInput,
    options?: CallOptions,
  ) => Promise<Types.IdentityVerification>
  /** Get an agent’s public key. */
  readonly getPublicKey: (
    input: Types.GetPublicKeyInput,
    options?: CallOptions,
  ) => Promise<Types.AgentPublicKey>
  /** Issue a certificate. */
  readonly issueCertificate: (
    input: Types.IssueCertificateInput,
    options?: CallOptions,
  ) => Promise<Types.Certificate>
  /** List an agent’s certificates. */
  readonly listCertificates: (
    input: Types.ListCertificatesInput,
    options?: CallOptions,
  ) => Promise<Types.CertificateList>
  /** Get a certificate. */
  readonly getCertificate: (
    input: Types.GetCertificateInput,
    options?: CallOptions,
  ) => Promise<Types.Certificate>
  /** Verify a certificate. */
  readonly verifyCertificate: (
    input: Types.VerifyCertificateInput,
    options?: CallOptions,
  ) => Promise<Types.CertificateVerification>
  /** Revoke a certificate. */
  readonly revokeCertificate: (
    input: Types.RevokeCertificateInput,
    options?: CallOptions,
  ) => Promise<Types.Certificate>
  /** Rotate a certificate. */
  readonly rotateCertificate: (
    input: Types.RotateCertificateInput,
    options?: CallOptions,
  ) => Promise<Types.CertificateRotation>
  /** List an agent’s audit trail. */
  readonly listAuditEntries: (
    input: Types.ListAuditEntriesInput,
    options?: CallOptions,
  ) => Promise<Types.AuditTrail>
  /** Verify an audit entry. */
  readonly verifyAuditEntry: (
    input: Types.VerifyAuditEntryInput,
    options?: CallOptions,
  ) => Promise<Types.AuditVerification>
  /** Get the newest checkpoint. */
  readonly getCheckpoint: (input?: Types.NoInput, options?: CallOptions) => Promise<Types.Checkpoint>
  /** Prove that the log only grew. */
  readonly getConsistency: (
    input: Types.GetConsistencyInput,
    options?: CallOptions,
  ) => Promise<Types.ConsistencyProof>
  /** Create an organization. */
  readonly createOrganization: (
    input: Types.CreateOrganizationInput,
    options?: CallOptions,
  ) => Promise<Types.Organization>
  /** List organizations. */
  readonly listOrganizations: (
    input?: Types.ListOrganizationsInput,
    options?: CallOptions,
  ) => Promise<Types.OrganizationList>
  /** Get an organization. */
  readonly getOrganization: (
    input: Types.GetOrganizationInput,
    options?: CallOptions,
  ) => Promise<Types.Organization>
  /** Add a member. */
  readonly addMember: (input: Types.AddMemberInput, options?: CallOptions) => Promise<Types.Member>
  /** Change a member’s role or budget. */
  readonly updateMember: (input: Types.UpdateMemberInput, options?: CallOptions) => Promise<Types.Member>
  /** Remove a member. */
  readonly removeMember: (input: Types.RemoveMemberInput, options?: CallOptions) => Promise<Types.Member>
  /** Name the treasury. */
  readonly nameTreasury: (
    input: Types.NameTreasuryInput,
    options?: CallOptions,
  ) => Promise<Types.Organization>
  /** Allocate money to a member. */
  readonly allocate: (input: Types.AllocateInput, options?: CallOptions) => Promise<Types.Allocation>
  /** List an organization’s transactions. */
  readonly listOrganizationTransactions: (
    input: Types.ListOrganizationTransactionsInput,
    options?: CallOptions,
  ) => Promise<Types.OrganizationTransactions>
  /** Get the budgets. */
  readonly getBudget: (input: Types.GetBudgetInput, options?: CallOptions) => Promise<Types.Budget>
  /** List webhook deliveries. */
  readonly listWebhookDeliveries: (
    input?: Types.ListWebhookDeliveriesInput,
    options?: CallOptions,
  ) => Promise<Types.WebhookDeliveryList>
  /** Try a delivery again. */
  readonly retryWebhookDelivery: (
    input: Types.RetryWebhookDeliveryInput,
    options?: CallOptions,
  ) => Promise<Types.WebhookDelivery>
  /** Send a test webhook. */
  readonly testWebhook: (input?: Types.NoInput, options?: CallOptions) => Promise<Types.WebhookDelivery>
  /** Send an owner a one-time code. */
  readonly sendOtp: (input: Types.SendOtpInput, options?: CallOptions) => Promise<Types.OtpSent>
  /** Log an owner in. */
  readonly verifyOtp: (input: Types.VerifyOtpInput, options?: CallOptions) => Promise<Types.OwnerSession>
  /** Log an owner out. */
  readonly logOut: (input?: Types.NoInput, options?: CallOptions) => Promise<Types.OwnerLoggedOut>
  /** Send an administrator a one-time code. */
  readonly sendAdminOtp: (
    input: Types.SendAdminOtpInput,
    options?: CallOptions,
  ) => Promise<Types.AdminOtpSent>
  /** Log an administrator in. */
  readonly verifyAdminOtp: (
    input: Types.VerifyAdminOtpInput,
    options?: CallOptions,
  ) => Promise<Types.AdminSession>
  /** Log an administrator out. */
  readonly logOutAdmin: (input?: Types.NoInput, options?: CallOptions) => Promise<Types.AdminLoggedOut>
  /** Who is logged in. */
  readonly getSession: (input?: Types.NoInput, options?: CallOptions) => Promise<Types.Me>
  /** List invitations. */
  readonly listInvitations: (
    input?: Types.ListInvitationsInput,
    options?: CallOptions,
  ) => Promise<Types.InvitationList>
  /** Accept an invitation. */
  readonly acceptInvitation: (
    input: Types.AcceptInvitationInput,
    options?: CallOptions,
  ) => Promise<Types.InvitationAccepted>
  /** Decline an invitation. */
  readonly declineInvitation: (
    input: Types.DeclineInvitationInput,
    options?: CallOptions,
  ) => Promise<Types.InvitationDeclined>
  /** List transactions of all agents. */
  readonly listOwnerTransactions: (
    input?: Types.ListOwnerTransactionsInput,
    options?: CallOptions,
  ) => Promise<Types.OwnerTransactionList>
  /** Get the owner’s policy. */
  readonly getOwnerPolicy: (
    input?: Types.GetOwnerPolicyInput,
    options?: CallOptions,
  ) => Promise<Types.OwnerPolicy>
  /** Change the owner’s policy. */
  readonly updateOwnerPolicy: (
    input?: Types.UpdateOwnerPolicyInput,
    options?: CallOptions,
  ) => Promise<Types.UpdatedOwnerPolicy>
  /** Cancel a waiting change of the owner’s policy. */
  readonly cancelOwnerPendingPolicy: (
    input: Types.CancelOwnerPendingPolicyInput,
    options?: CallOptions,
  ) => Promise<Types.UpdatedOwnerPolicy>
  /** See the whole service at a glance. */
  readonly getOverview: (input?: Types.NoInput, options?: CallOptions) => Promise<Types.Overview>
  /** List all owners. */
  readonly listAllOwners: (
    input?: Types.ListAllOwnersInput,
    options?: CallOptions,
  ) => Promise<Types.OwnerAccountList>
  /** Get any owner. */
  readonly getOwnerAccount: (
    input: Types.GetOwnerAccountInput,
    options?: CallOptions,
  ) => Promise<Types.OwnerAccountDetails>
  /** Set an owner’s tier. */
  readonly setOwnerTier: (
    input: Types.SetOwnerTierInput,
    options?: CallOptions,
  ) => Promise<Types.OwnerAccount>
  /** Freeze an owner. */
  readonly freezeOwner: (input: Types.FreezeOwnerInput, options?: CallOptions) => Promise<Types.FrozenOwner>
  /** Unfreeze an owner. */
  readonly unfreezeOwner: (
    input: Types.UnfreezeOwnerInput,
    options?: CallOptions,
  ) => Promise<Types.UnfrozenOwner>
  /** Freeze agents. */
  readonly bulkFreezeAgents: (
    input: Types.BulkFreezeAgentsInput,
    options?: CallOptions,
  ) => Promise<Types.BulkResults>
  /** Quarantine agents. */
  readonly bulkQuarantineAgents: (
    input: Types.BulkQuarantineAgentsInput,
    options?: CallOptions,
  ) => Promise<Types.BulkResults>
  /** Restore agents. */
  readonly bulkRestoreAgents: (
    input: Types.BulkRestoreAgentsInput,
    options?: CallOptions,
  ) => Promise<Types.BulkResults>
  /** List the tiers’ defaults. */
  readonly listTiers: (input?: Types.NoInput, options?: CallOptions) => Promise<Types.TierList>
  /** Change a tier’s defaults. */
  readonly updateTier: (input: Types.UpdateTierInput, options?: CallOptions) => Promise<Types.TierDefaults>
  /** List settlement runs. */
  readonly listSettlements: (
    input?: Types.ListSettlementsInput,
    options?: CallOptions,
  ) => Promise<Types.SettlementRunList>
  /** List what a settlement run left alone. */
  readonly listSettlementSkips: (
    input: Types.ListSettlementSkipsInput,
    options?: CallOptions,
  ) => Promise<Types.SettlementSkipList>
  /** List wallets below zero. */
  readonly listNegativeWallets: (
    input?: Types.ListNegativeWalletsInput,
    options?: CallOptions,
  ) => Promise<Types.NegativeWalletList>
  /** List differences with the gateway. */
  readonly listDifferences: (
    input?: Types.ListDifferencesInput,
    options?: CallOptions,
  ) => Promise<Types.DifferenceList>
  /** List risk alerts. */
  readonly listRiskAlerts: (
    input?: Types.ListRiskAlertsInput,
    options?: CallOptions,
  ) => Promise<Types.RiskAlertList>
  /** Review a risk alert. */
  readonly reviewRiskAlert: (
    input: Types.ReviewRiskAlertInput,
    options?: CallOptions,
  ) => Promise<Types.RiskAlert>
  /** Get an agent’s risk score. */
  readonly getRiskScore: (input: Types.GetRiskScoreInput, options?: CallOptions) => Promise<Types.RiskScore>
  /** List the risk rules. */
  readonly listRiskRules: (input?: Types.NoInput, options?: CallOptions) => Promise<Types.RiskRuleList>
  /** Get the service’s public keys. */
  readonly getServiceKeys: (input?: Types.NoInput, options?: CallOptions) => Promise<Types.ServiceKeys>
  /** Get the public keys as JWKS. */
  readonly getJwks: (input?: Types.NoInput, options?: CallOptions) => Promise<Types.Jwks>
  /** Take a notice of the payment gateway. */
  readonly receiveGatewayNotice: (
    input: Types.ReceiveGatewayNoticeInput,
    options?: CallOptions,
  ) => Promise<Types.GatewayNoticeReceived>
  /** Play the human on the checkout page. */
  readonly completeSandboxPayment: (
    input: Types.CompleteSandboxPaymentInput,
    options?: CallOptions,
  ) => Promise<Types.SandboxPayment>
  /** Read the last one-time code. */
  readonly getSandboxOtp: (
    input: Types.GetSandboxOtpInput,
    options?: CallOptions,
  ) => Promise<Types.SandboxOtp>
  /** Read the text messages of a phone. */
  readonly getSandboxMessages: (
    input: Types.GetSandboxMessagesInput,
    options?: CallOptions,
  ) => Promise<Types.SandboxMessages>
  /** Move the clock forward. */
  readonly advanceClock: (
    input: Types.AdvanceClockInput,
    options?: CallOptions,
  ) => Promise<Types.ClockAdvanced>
  /** Is the process alive? */
  readonly getHealth: (input?: Types.NoInput, options?: CallOptions) => Promise<Types.Health>
  /** Can it take calls? */
  readonly getReadiness: (input?: Types.NoInput, options?: CallOptions) => Promise<Types.Readiness>
}

/** Method and address of every route; after `?` what of a change's input is query, after `=` what is its whole body. */
export const ROUTES: Readonly<Record<keyof Api, string>> = {
  createPlatform: 'POST /v1/platforms',
  getPlatform: 'GET /v1/platforms/{platform_id}',
  updatePlatform: 'PATCH /v1/platforms/{platform_id}',
  deletePlatform: 'DELETE /v1/platforms/{platform_id}',
  rotatePlatformSecret: 'POST /v1/platforms/{platform_id}/rotate-secret',
  rotateWebhookSecret: 'POST /v1/platforms/{platform_id}/rotate-webhook-secret',
  createOwner: 'POST /v1/owners',
  listOwners: 'GET /v1/owners',
  getOwner: 'GET /v1/owners/{owner_id}',
  submitKyc: 'POST /v1/owners/{owner_id}/kyc',
  cancelBankAccountChange: 'DELETE /v1/owners/{owner_id}/pending-bank-account',
  inviteOwner: 'POST /v1/owners/{owner_id}/invite',
  createAgent: 'POST /v1/agents',
  listAgents: 'GET /v1/agents',
  getCurrentAgent: 'GET /v1/agents/me',
  getHandleAvailability: 'GET /v1/agents/handle/{handle}/available',
  getAgentExistence: 'GET /v1/agents/{agent_id}/exists',
  getAgent: 'GET /v1/agents/{agent_id}',
  updateAgent: 'PATCH /v1/agents/{agent_id}',
  deactivateAgent: 'DELETE /v1/agents/{agent_id}',
  pauseAgent: 'POST /v1/agents/{agent_id}/pause',
  resumeAgent: 'POST /v1/agents/{agent_id}/resume',
  rotateAgentKey: 'POST /v1/agents/{agent_id}/rotate-keys',
  getAgentPolicy: 'GET /v1/agents/{agent_id}/policy',
  cancelPendingPolicy: 'DELETE /v1/agents/{agent_id}/pending-policy/{control}',
  evaluatePolicy: 'POST /v1/agents/{agent_id}/policy/evaluate',
  getBalance: 'GET /v1/agents/{agent_id}/balance',
  createFunding: 'POST /v1/agents/{agent_id}/fund',
  getFunding: 'GET /v1/agents/{agent_id}/fund/{funding_id}',
  createUpiCollect: 'POST /api/web/fund/{agent_id}/upi',
  withdraw: 'POST /v1/agents/{agent_id}/withdraw',
  pay: 'POST /v1/agents/{agent_id}/pay',
  getPayment: 'GET /v1/agents/{agent_id}/payments/{payment_id}',
  listPayments: 'GET /v1/agents/{agent_id}/payments',
  refundPayment: 'POST /v1/payments/{payment_id}/refund',
  listApprovals: 'GET /v1/approvals',
  getApproval: 'GET /v1/approvals/{approval_id}',
  approve: 'POST /v1/approvals/{approval_id}/approve',
  reject: 'POST /v1/approvals/{approval_id}/reject',
  holdEscrow: 'POST /v1/agents/{agent_id}/escrow/hold',
  holdEscrowWithTimeout: 'POST /v1/agents/{agent_id}/escrow/hold-with-timeout',
  holdEscrowWithAttestation: 'POST /v1/agents/{agent_id}/escrow/hold-with-attestation',
  releaseEscrow: 'POST /v1/escrow/{escrow_id}/release',
  refundEscrow: 'POST /v1/escrow/{escrow_id}/refund',
  attestEscrow: 'POST /v1/escrow/{escrow_id}/attest',
  getEscrow: 'GET /v1/escrow/{escrow_id}',
  listTransactions: 'GET /v1/agents/{agent_id}/transactions',
  verifyTransaction: 'GET /v1/transactions/{txn_id}/verify',
  restoreNonce: 'POST /v1/transactions/{txn_id}/restore-nonce',
  getReceipt: 'GET /v1/receipts/{receipt_id}',
  verifyReceipt: 'GET /v1/receipts/{receipt_id}/verify',
  getMembershipProof: 'GET /v1/agents/me/proof',
  getAgentOrigins: 'GET /v1/agents/{handle}/origins',
  verifyIdentity: 'GET /v1/identity/{agent_id}/verify',
  getPublicKey: 'GET /v1/identity/{agent_id}/public-key',
  issueCertificate: 'POST /v1/agents/{agent_id}/certificates',
  listCertificates: 'GET /v1/agents/{agent_id}/certificates',
  getCertificate: 'GET /v1/certificates/{cert_id}',
  verifyCertificate: 'GET /v1/certificates/{cert_id}/verify',
  revokeCertificate: 'POST /v1/certificates/{cert_id}/revoke',
  rotateCertificate: 'POST /v1/certificates/{cert_id}/rotate',
  listAuditEntries: 'GET /v1/agents/{agent_id}/audit',
  verifyAuditEntry: 'GET /v1/audit/verify',
  getCheckpoint: 'GET /v1/audit/checkpoint',
  getConsistency: 'GET /v1/audit/consistency',
  createOrganization: 'POST /v1/orgs',
  listOrganizations: 'GET /v1/orgs',
  getOrganization: 'GET /v1/orgs/{org_id}',
  addMember: 'POST /v1/orgs/{org_id}/agents',
  updateMember: 'PATCH /v1/orgs/{org_id}/agents/{agent_id}',
  removeMember: 'DELETE /v1/orgs/{org_id}/agents/{agent_id}',
  nameTreasury: 'POST /v1/orgs/{org_id}/treasury',
  allocate: 'POST /v1/orgs/{org_id}/allocate',
  listOrganizationTransactions: 'GET /v1/orgs/{org_id}/transactions',
  getBudget: 'GET /v1/orgs/{org_id}/budget',
  listWebhookDeliveries: 'GET /v1/webhooks/deliveries',
  retryWebhookDelivery: 'POST /v1/webhooks/deliveries/{delivery_id}/retry',
  testWebhook: 'POST /v1/webhooks/test',
  sendOtp: 'POST /v1/auth/send-otp',
  verifyOtp: 'POST /v1/auth/verify-otp',
  logOut: 'POST /v1/auth/logout',
  sendAdminOtp: 'POST /v1/admin/auth/send-otp',
  verifyAdminOtp: 'POST /v1/admin/auth/verify-otp',
  logOutAdmin: 'POST /v1/admin/auth/logout',
  getSession: 'GET /api/web/me',
  listInvitations: 'GET /v1/invitations',
  acceptInvitation: 'POST /v1/invitations/{owner_id}/accept',
  declineInvitation: 'POST /v1/invitations/{owner_id}/decline',
  listOwnerTransactions: 'GET /api/web/transactions',
  getOwnerPolicy: 'GET /api/web/policy',
  updateOwnerPolicy: 'PATCH /api/web/policy?owner_id',
  cancelOwnerPendingPolicy: 'DELETE /api/web/policy/pending/{control}',
  getOverview: 'GET /v1/admin/overview',
  listAllOwners: 'GET /v1/admin/owners',
  getOwnerAccount: 'GET /v1/admin/owners/{owner_id}',
  setOwnerTier: 'PATCH /v1/admin/owners/{owner_id}',
  freezeOwner: 'POST /v1/admin/owners/{owner_id}/freeze',
  unfreezeOwner: 'POST /v1/admin/owners/{owner_id}/unfreeze',
  bulkFreezeAgents: 'POST /v1/admin/agents/bulk-freeze',
  bulkQuarantineAgents: 'POST /v1/admin/agents/bulk-quarantine',
  bulkRestoreAgents: 'POST /v1/admin/agents/bulk-restore',
  listTiers: 'GET /v1/admin/tiers',
  updateTier: 'PATCH /v1/admin/tiers/{tier}',
  listSettlements: 'GET /v1/admin/settlements',
  listSettlementSkips: 'GET /v1/admin/settlements/{day}/skipped',
  listNegativeWallets: 'GET /v1/admin/negative-wallets',
  listDifferences: 'GET /v1/admin/reconciliation',
  listRiskAlerts: 'GET /v1/admin/risk/alerts',
  reviewRiskAlert: 'POST /v1/admin/risk/alerts/{alert_id}/review',
  getRiskScore: 'GET /v1/admin/risk/agents/{agent_id}/score',
  listRiskRules: 'GET /v1/admin/risk/rules',
  getServiceKeys: 'GET /.well-known/service-keys.json',
  getJwks: 'GET /.well-known/jwks.json',
  receiveGatewayNotice: 'POST /v1/gateway/{gateway}/webhooks=body',
  completeSandboxPayment: 'POST /sandbox/payments/{payment_session_id}',
  getSandboxOtp: 'GET /sandbox/otp/{phone}',
  getSandboxMessages: 'GET /sandbox/messages/{phone}',
  advanceClock: 'POST /sandbox/clock',
  getHealth: 'GET /healthz',
  getReadiness: 'GET /readyz',
}
