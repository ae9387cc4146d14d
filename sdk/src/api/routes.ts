// Generated from the contract by sdk/generate.ts; not to be edited.
/* oxlint-disable max-lines */

import type { Download } from '../client/download.ts'
import type { CallOptions } from '../client/options.ts'
import type * as Types from './types.ts'

/** Every route of the service as a method, by its operationId. */
export interface Api {
  /** Create a platform. */
  readonly createPlatform: (
    input: Types.CreatePlatformInput,
    options?: CallOptions,
  ) => Promise<Types.CreatedPlatform>
  /** Delete a platform. */
  readonly deletePlatform: (
    input: Types.DeletePlatformInput,
    options?: CallOptions,
  ) => Promise<Types.DeletedPlatform>
  /** Get the calling platform. */
  readonly getCurrentPlatform: (input?: Types.NoInput, options?: CallOptions) => Promise<Types.Platform>
  /** Get how far a new platform is. */
  readonly getFirstSteps: (input?: Types.NoInput, options?: CallOptions) => Promise<Types.FirstSteps>
  /** Get a platform. */
  readonly getPlatform: (input: Types.GetPlatformInput, options?: CallOptions) => Promise<Types.Platform>
  /** Count requests. */
  readonly getRequestUsage: (
    input?: Types.GetRequestUsageInput,
    options?: CallOptions,
  ) => Promise<Types.RequestUsage>
  /** List requests. */
  readonly listRequests: (
    input?: Types.ListRequestsInput,
    options?: CallOptions,
  ) => Promise<Types.LoggedRequestList>
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
  /** Update a platform. */
  readonly updatePlatform: (
    input: Types.UpdatePlatformInput,
    options?: CallOptions,
  ) => Promise<Types.Platform>
  /** Cancel a change of the bank account. */
  readonly cancelBankAccountChange: (
    input: Types.CancelBankAccountChangeInput,
    options?: CallOptions,
  ) => Promise<Types.Owner>
  /** Create an owner. */
  readonly createOwner: (input: Types.CreateOwnerInput, options?: CallOptions) => Promise<Types.Owner>
  /** Get an owner. */
  readonly getOwner: (input: Types.GetOwnerInput, options?: CallOptions) => Promise<Types.Owner>
  /** Invite an owner again. */
  readonly inviteOwner: (input: Types.InviteOwnerInput, options?: CallOptions) => Promise<Types.Owner>
  /** List owners. */
  readonly listOwners: (input?: Types.ListOwnersInput, options?: CallOptions) => Promise<Types.OwnerList>
  /** Verify the owner’s bank account. */
  readonly submitKyc: (input: Types.SubmitKycInput, options?: CallOptions) => Promise<Types.KycResult>
  /** Create an agent. */
  readonly createAgent: (input: Types.CreateAgentInput, options?: CallOptions) => Promise<Types.CreatedAgent>
  /** Deactivate an agent. */
  readonly deactivateAgent: (
    input: Types.DeactivateAgentInput,
    options?: CallOptions,
  ) => Promise<Types.DeactivatedAgent>
  /** Get an agent. */
  readonly getAgent: (input: Types.GetAgentInput, options?: CallOptions) => Promise<Types.Agent>
  /** Check whether an agent exists. */
  readonly getAgentExistence: (
    input: Types.GetAgentExistenceInput,
    options?: CallOptions,
  ) => Promise<Types.AgentExistence>
  /** Get everything about an agent’s money. */
  readonly getAgentOverview: (
    input: Types.GetAgentOverviewInput,
    options?: CallOptions,
  ) => Promise<Types.AgentOverview>
  /** Get the calling agent. */
  readonly getCurrentAgent: (input?: Types.NoInput, options?: CallOptions) => Promise<Types.Agent>
  /** Check whether a handle is available. */
  readonly getHandleAvailability: (
    input: Types.GetHandleAvailabilityInput,
    options?: CallOptions,
  ) => Promise<Types.HandleAvailability>
  /** List agents. */
  readonly listAgents: (input?: Types.ListAgentsInput, options?: CallOptions) => Promise<Types.AgentList>
  /** Pause an agent. */
  readonly pauseAgent: (input: Types.PauseAgentInput, options?: CallOptions) => Promise<Types.Agent>
  /** Resume a paused agent. */
  readonly resumeAgent: (input: Types.ResumeAgentInput, options?: CallOptions) => Promise<Types.Agent>
  /** Replace the agent key. */
  readonly rotateAgentKey: (
    input: Types.RotateAgentKeyInput,
    options?: CallOptions,
  ) => Promise<Types.RotatedAgentKey>
  /** Change an agent’s policy, name or origins. */
  readonly updateAgent: (input: Types.UpdateAgentInput, options?: CallOptions) => Promise<Types.UpdatedAgent>
  /** Cancel a pending change of an agent’s policy. */
  readonly cancelPendingPolicy: (
    input: Types.CancelPendingPolicyInput,
    options?: CallOptions,
  ) => Promise<Types.UpdatedAgent>
  /** Evaluate a payment. */
  readonly evaluatePolicy: (
    input: Types.EvaluatePolicyInput,
    options?: CallOptions,
  ) => Promise<Types.PolicyEvaluation>
  /** Get an agent’s limits and what is left of them. */
  readonly getAgentPolicy: (
    input: Types.GetAgentPolicyInput,
    options?: CallOptions,
  ) => Promise<Types.EffectivePolicy>
  /** Get the most that an agent can pay. */
  readonly getExposure: (input: Types.GetExposureInput, options?: CallOptions) => Promise<Types.Exposure>
  /** List the agents that the payee lists name. */
  readonly listNamedPayees: (
    input: Types.ListNamedPayeesInput,
    options?: CallOptions,
  ) => Promise<Types.NamedPayees>
  /** List the changes of an agent’s effective policy. */
  readonly listPolicyVersions: (
    input: Types.ListPolicyVersionsInput,
    options?: CallOptions,
  ) => Promise<Types.PolicyVersionList>
  /** Add a member. */
  readonly addMember: (input: Types.AddMemberInput, options?: CallOptions) => Promise<Types.Member>
  /** Allocate money to a member. */
  readonly allocate: (input: Types.AllocateInput, options?: CallOptions) => Promise<Types.Allocation>
  /** Create an organization. */
  readonly createOrganization: (
    input: Types.CreateOrganizationInput,
    options?: CallOptions,
  ) => Promise<Types.Organization>
  /** Get the budgets. */
  readonly getBudget: (input: Types.GetBudgetInput, options?: CallOptions) => Promise<Types.Budget>
  /** Get an organization. */
  readonly getOrganization: (
    input: Types.GetOrganizationInput,
    options?: CallOptions,
  ) => Promise<Types.Organization>
  /** List an organization’s transactions. */
  readonly listOrganizationTransactions: (
    input: Types.ListOrganizationTransactionsInput,
    options?: CallOptions,
  ) => Promise<Types.OrganizationTransactions>
  /** List organizations. */
  readonly listOrganizations: (
    input?: Types.ListOrganizationsInput,
    options?: CallOptions,
  ) => Promise<Types.OrganizationList>
  /** Name the treasury. */
  readonly nameTreasury: (
    input: Types.NameTreasuryInput,
    options?: CallOptions,
  ) => Promise<Types.Organization>
  /** Remove a member. */
  readonly removeMember: (input: Types.RemoveMemberInput, options?: CallOptions) => Promise<Types.Member>
  /** Change a member’s role or budget. */
  readonly updateMember: (input: Types.UpdateMemberInput, options?: CallOptions) => Promise<Types.Member>
  /** Fund the wallet. */
  readonly createFunding: (
    input: Types.CreateFundingInput,
    options?: CallOptions,
  ) => Promise<Types.FundingSession>
  /** Fund the wallet by UPI. */
  readonly createUpiCollect: (
    input: Types.CreateUpiCollectInput,
    options?: CallOptions,
  ) => Promise<Types.UpiCollect>
  /** Get the balance. */
  readonly getBalance: (input: Types.GetBalanceInput, options?: CallOptions) => Promise<Types.Balance>
  /** Get a funding. */
  readonly getFunding: (input: Types.GetFundingInput, options?: CallOptions) => Promise<Types.Funding>
  /** Withdraw to the owner’s bank. */
  readonly withdraw: (input: Types.WithdrawInput, options?: CallOptions) => Promise<Types.Withdrawal>
  /** Get a payment. */
  readonly getPayment: (input: Types.GetPaymentInput, options?: CallOptions) => Promise<Types.Payment>
  /** Find payments. */
  readonly listPayments: (input: Types.ListPaymentsInput, options?: CallOptions) => Promise<Types.PaymentList>
  /** Pay another agent. */
  readonly pay: (input: Types.PayInput, options?: CallOptions) => Promise<Types.PaymentResult>
  /** Refund a payment. */
  readonly refundPayment: (input: Types.RefundPaymentInput, options?: CallOptions) => Promise<Types.Refund>
  /** Connect an app. */
  readonly allowConnectRequest: (
    input: Types.AllowConnectRequestInput,
    options?: CallOptions,
  ) => Promise<Types.ConnectAnswered>
  /** Refuse an app. */
  readonly denyConnectRequest: (
    input: Types.DenyConnectRequestInput,
    options?: CallOptions,
  ) => Promise<Types.ConnectDenied>
  /** Disconnect an app. */
  readonly endConnectedApp: (
    input: Types.EndConnectedAppInput,
    options?: CallOptions,
  ) => Promise<Types.ConnectedAppEnded>
  /** Show who asks to be connected. */
  readonly getConnectRequest: (
    input: Types.GetConnectRequestInput,
    options?: CallOptions,
  ) => Promise<Types.ConnectRequest>
  /** List connected apps. */
  readonly listConnectedApps: (
    input?: Types.ListConnectedAppsInput,
    options?: CallOptions,
  ) => Promise<Types.ConnectedAppList>
  /** Approve. */
  readonly approve: (input: Types.ApproveInput, options?: CallOptions) => Promise<Types.ApprovalApproved>
  /** Ask for a challenge for an approval. */
  readonly challengeApproval: (
    input: Types.ChallengeApprovalInput,
    options?: CallOptions,
  ) => Promise<Types.StepUpChallenge>
  /** Allow payments to a payee. */
  readonly createAllowance: (
    input: Types.CreateAllowanceInput,
    options?: CallOptions,
  ) => Promise<Types.AllowanceCreated>
  /** End an allowance. */
  readonly endAllowance: (
    input: Types.EndAllowanceInput,
    options?: CallOptions,
  ) => Promise<Types.AllowanceEnded>
  /** Get an approval. */
  readonly getApproval: (input: Types.GetApprovalInput, options?: CallOptions) => Promise<Types.Approval>
  /** Get an approval with its payee and the balance. */
  readonly getApprovalDetails: (
    input: Types.GetApprovalDetailsInput,
    options?: CallOptions,
  ) => Promise<Types.ApprovalDetails>
  /** List allowances. */
  readonly listAllowances: (
    input?: Types.ListAllowancesInput,
    options?: CallOptions,
  ) => Promise<Types.AllowanceList>
  /** List approvals. */
  readonly listApprovals: (
    input?: Types.ListApprovalsInput,
    options?: CallOptions,
  ) => Promise<Types.ApprovalList>
  /** Reject. */
  readonly reject: (input: Types.RejectInput, options?: CallOptions) => Promise<Types.ApprovalRejected>
  /** Authorize captures. */
  readonly authorize: (
    input: Types.AuthorizeInput,
    options?: CallOptions,
  ) => Promise<Types.AuthorizationCreated | Types.AuthorizationWaiting>
  /** Capture an authorization. */
  readonly captureAuthorization: (
    input: Types.CaptureAuthorizationInput,
    options?: CallOptions,
  ) => Promise<Types.Capture>
  /** Close an authorization. */
  readonly closeAuthorization: (
    input: Types.CloseAuthorizationInput,
    options?: CallOptions,
  ) => Promise<Types.AuthorizationClosed>
  /** Get an authorization. */
  readonly getAuthorization: (
    input: Types.GetAuthorizationInput,
    options?: CallOptions,
  ) => Promise<Types.Authorization>
  /** List authorizations. */
  readonly listAuthorizations: (
    input: Types.ListAuthorizationsInput,
    options?: CallOptions,
  ) => Promise<Types.AuthorizationList>
  /** Void an authorization. */
  readonly voidAuthorization: (
    input: Types.VoidAuthorizationInput,
    options?: CallOptions,
  ) => Promise<Types.AuthorizationVoided>
  /** Attest. */
  readonly attestEscrow: (
    input: Types.AttestEscrowInput,
    options?: CallOptions,
  ) => Promise<Types.EscrowResolved>
  /** Get an escrow. */
  readonly getEscrow: (input: Types.GetEscrowInput, options?: CallOptions) => Promise<Types.Escrow>
  /** Get an escrow with the names of its agents. */
  readonly getEscrowDetails: (
    input: Types.GetEscrowDetailsInput,
    options?: CallOptions,
  ) => Promise<Types.EscrowDetails>
  /** Hold money. */
  readonly holdEscrow: (
    input: Types.HoldEscrowInput,
    options?: CallOptions,
  ) => Promise<Types.EscrowHeld | Types.EscrowWaiting>
  /** Hold money until an attestation. */
  readonly holdEscrowWithAttestation: (
    input: Types.HoldEscrowWithAttestationInput,
    options?: CallOptions,
  ) => Promise<Types.EscrowHeld | Types.EscrowWaiting>
  /** Hold money with a timeout. */
  readonly holdEscrowWithTimeout: (
    input: Types.HoldEscrowWithTimeoutInput,
    options?: CallOptions,
  ) => Promise<Types.EscrowHeld | Types.EscrowWaiting>
  /** List escrows. */
  readonly listEscrows: (input?: Types.ListEscrowsInput, options?: CallOptions) => Promise<Types.EscrowList>
  /** Refund. */
  readonly refundEscrow: (
    input: Types.RefundEscrowInput,
    options?: CallOptions,
  ) => Promise<Types.EscrowRefunded>
  /** Release. */
  readonly releaseEscrow: (
    input: Types.ReleaseEscrowInput,
    options?: CallOptions,
  ) => Promise<Types.EscrowResolved>
  /** Get the spending by day and payee. */
  readonly getSpending: (input: Types.GetSpendingInput, options?: CallOptions) => Promise<Types.Spending>
  /** Download a statement. */
  readonly getStatement: (
    input: Types.GetStatementInput,
    options?: CallOptions,
  ) => Promise<Download<Types.Statement>>
  /** List transactions of all agents. */
  readonly listPlatformTransactions: (
    input?: Types.ListPlatformTransactionsInput,
    options?: CallOptions,
  ) => Promise<Types.PlatformTransactionList>
  /** List transactions. */
  readonly listTransactions: (
    input: Types.ListTransactionsInput,
    options?: CallOptions,
  ) => Promise<Types.TransactionList>
  /** Restore a nonce. */
  readonly restoreNonce: (
    input: Types.RestoreNonceInput,
    options?: CallOptions,
  ) => Promise<Types.NonceRestoration>
  /** Verify a payment. */
  readonly verifyTransaction: (
    input: Types.VerifyTransactionInput,
    options?: CallOptions,
  ) => Promise<Types.Verification>
  /** No longer list an origin. */
  readonly deleteListing: (
    input: Types.DeleteListingInput,
    options?: CallOptions,
  ) => Promise<Types.ListingEnded>
  /** List what an agent has registered. */
  readonly listListings: (input: Types.ListListingsInput, options?: CallOptions) => Promise<Types.ListingList>
  /** Find sellers. */
  readonly listSellers: (input?: Types.ListSellersInput, options?: CallOptions) => Promise<Types.SellerList>
  /** Register what an agent sells. */
  readonly registerListing: (
    input: Types.RegisterListingInput,
    options?: CallOptions,
  ) => Promise<Types.Listing>
  /** List what can be paid by x402. */
  readonly getX402Supported: (input?: Types.NoInput, options?: CallOptions) => Promise<Types.X402Supported>
  /** Settle a payment of x402. */
  readonly settleX402Payment: (
    input: Types.SettleX402PaymentInput,
    options?: CallOptions,
  ) => Promise<Types.X402Settlement>
  /** Verify a payment of x402. */
  readonly verifyX402Payment: (
    input: Types.VerifyX402PaymentInput,
    options?: CallOptions,
  ) => Promise<Types.X402Verification>
  /** Get a receipt. */
  readonly getReceipt: (input: Types.GetReceiptInput, options?: CallOptions) => Promise<Types.Receipt>
  /** Verify a receipt. */
  readonly verifyReceipt: (
    input: Types.VerifyReceiptInput,
    options?: CallOptions,
  ) => Promise<Types.ReceiptVerification>
  /** Get an agent’s origins. */
  readonly getAgentOrigins: (
    input: Types.GetAgentOriginsInput,
    options?: CallOptions,
  ) => Promise<Types.AgentOrigins>
  /** Get a membership proof. */
  readonly getMembershipProof: (
    input?: Types.GetMembershipProofInput,
    options?: CallOptions,
  ) => Promise<Types.MembershipProof>
  /** Get an agent’s public key. */
  readonly getPublicKey: (
    input: Types.GetPublicKeyInput,
    options?: CallOptions,
  ) => Promise<Types.AgentPublicKey>
  /** Verify an agent’s identity. */
  readonly verifyIdentity: (
    input: Types.VerifyIdentityInput,
    options?: CallOptions,
  ) => Promise<Types.IdentityVerification>
  /** Get a certificate. */
  readonly getCertificate: (
    input: Types.GetCertificateInput,
    options?: CallOptions,
  ) => Promise<Types.Certificate>
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
  /** Verify a certificate. */
  readonly verifyCertificate: (
    input: Types.VerifyCertificateInput,
    options?: CallOptions,
  ) => Promise<Types.CertificateVerification>
  /** Get the newest checkpoint. */
  readonly getCheckpoint: (input?: Types.NoInput, options?: CallOptions) => Promise<Types.Checkpoint>
  /** Prove that the log only grew. */
  readonly getConsistency: (
    input: Types.GetConsistencyInput,
    options?: CallOptions,
  ) => Promise<Types.ConsistencyProof>
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
  /** Get the public keys as JWKS. */
  readonly getJwks: (input?: Types.NoInput, options?: CallOptions) => Promise<Types.Jwks>
  /** Get the service’s public keys. */
  readonly getServiceKeys: (input?: Types.NoInput, options?: CallOptions) => Promise<Types.ServiceKeys>
  /** Get a webhook delivery. */
  readonly getWebhookDelivery: (
    input: Types.GetWebhookDeliveryInput,
    options?: CallOptions,
  ) => Promise<Types.WebhookDeliveryDetails>
  /** List events. */
  readonly listEvents: (input?: Types.ListEventsInput, options?: CallOptions) => Promise<Types.EventList>
  /** List webhook deliveries. */
  readonly listWebhookDeliveries: (
    input?: Types.ListWebhookDeliveriesInput,
    options?: CallOptions,
  ) => Promise<Types.WebhookDeliveryList>
  /** Retry a delivery. */
  readonly retryWebhookDelivery: (
    input: Types.RetryWebhookDeliveryInput,
    options?: CallOptions,
  ) => Promise<Types.WebhookDelivery>
  /** Send a test webhook. */
  readonly testWebhook: (input?: Types.NoInput, options?: CallOptions) => Promise<Types.WebhookDelivery>
  /** End all your other sessions. */
  readonly endOtherSessions: (
    input?: Types.NoInput,
    options?: CallOptions,
  ) => Promise<Types.OtherSessionsEnded>
  /** End one of your sessions. */
  readonly endSession: (input: Types.EndSessionInput, options?: CallOptions) => Promise<Types.SessionEnded>
  /** Prepare a login by passkey. */
  readonly getPasskeyLoginOptions: (
    input?: Types.NoInput,
    options?: CallOptions,
  ) => Promise<Types.PasskeyLoginOptions>
  /** List your sessions. */
  readonly listSessions: (input?: Types.NoInput, options?: CallOptions) => Promise<Types.Sessions>
  /** Log an owner in by passkey. */
  readonly logInByPasskey: (
    input: Types.LogInByPasskeyInput,
    options?: CallOptions,
  ) => Promise<Types.OwnerSession>
  /** Log a platform in. */
  readonly logInPlatform: (
    input: Types.LogInPlatformInput,
    options?: CallOptions,
  ) => Promise<Types.PlatformSession>
  /** Log an owner out. */
  readonly logOut: (input?: Types.NoInput, options?: CallOptions) => Promise<Types.OwnerLoggedOut>
  /** Log an administrator out. */
  readonly logOutAdmin: (input?: Types.NoInput, options?: CallOptions) => Promise<Types.AdminLoggedOut>
  /** Log a platform out. */
  readonly logOutPlatform: (input?: Types.NoInput, options?: CallOptions) => Promise<Types.PlatformLoggedOut>
  /** Send an administrator a one-time code. */
  readonly sendAdminOtp: (
    input: Types.SendAdminOtpInput,
    options?: CallOptions,
  ) => Promise<Types.AdminOtpSent>
  /** Send an owner a one-time code. */
  readonly sendOtp: (input: Types.SendOtpInput, options?: CallOptions) => Promise<Types.OtpSent>
  /** Log an administrator in. */
  readonly verifyAdminOtp: (
    input: Types.VerifyAdminOtpInput,
    options?: CallOptions,
  ) => Promise<Types.AdminSession>
  /** Log an owner in. */
  readonly verifyOtp: (input: Types.VerifyOtpInput, options?: CallOptions) => Promise<Types.OwnerSession>
  /** Enrol a passkey. */
  readonly createPasskey: (input: Types.CreatePasskeyInput, options?: CallOptions) => Promise<Types.Passkey>
  /** Remove a passkey. */
  readonly deletePasskey: (input: Types.DeletePasskeyInput, options?: CallOptions) => Promise<Types.Passkey>
  /** Prepare a passkey. */
  readonly getPasskeyOptions: (
    input?: Types.NoInput,
    options?: CallOptions,
  ) => Promise<Types.PasskeyCreationOptions>
  /** Keep a passkey that would be removed. */
  readonly keepPasskey: (input: Types.KeepPasskeyInput, options?: CallOptions) => Promise<Types.Passkey>
  /** List your passkeys. */
  readonly listPasskeys: (input?: Types.ListPasskeysInput, options?: CallOptions) => Promise<Types.Passkeys>
  /** Ask for a challenge. */
  readonly requestStepUp: (
    input: Types.RequestStepUpInput,
    options?: CallOptions,
  ) => Promise<Types.StepUpChallenge>
  /** Accept an invitation. */
  readonly acceptInvitation: (
    input: Types.AcceptInvitationInput,
    options?: CallOptions,
  ) => Promise<Types.InvitationAccepted>
  /** Cancel a pending change of the owner’s policy. */
  readonly cancelOwnerPendingPolicy: (
    input: Types.CancelOwnerPendingPolicyInput,
    options?: CallOptions,
  ) => Promise<Types.UpdatedOwnerPolicy>
  /** Decline an invitation. */
  readonly declineInvitation: (
    input: Types.DeclineInvitationInput,
    options?: CallOptions,
  ) => Promise<Types.InvitationDeclined>
  /** Get the owner’s policy. */
  readonly getOwnerPolicy: (
    input?: Types.GetOwnerPolicyInput,
    options?: CallOptions,
  ) => Promise<Types.OwnerPolicy>
  /** Download a statement of all agents. */
  readonly getOwnerStatement: (
    input?: Types.GetOwnerStatementInput,
    options?: CallOptions,
  ) => Promise<Download<Types.Statement>>
  /** Get the logged-in person. */
  readonly getSession: (input?: Types.NoInput, options?: CallOptions) => Promise<Types.Me>
  /** List your agents with their money. */
  readonly listAgentSummaries: (
    input?: Types.ListAgentSummariesInput,
    options?: CallOptions,
  ) => Promise<Types.AgentSummaryList>
  /** List the balances of all agents. */
  readonly listBalances: (
    input?: Types.ListBalancesInput,
    options?: CallOptions,
  ) => Promise<Types.BalanceList>
  /** List the most that the owner’s agents can pay. */
  readonly listExposure: (
    input?: Types.ListExposureInput,
    options?: CallOptions,
  ) => Promise<Types.ExposureList>
  /** List invitations. */
  readonly listInvitations: (
    input?: Types.ListInvitationsInput,
    options?: CallOptions,
  ) => Promise<Types.InvitationList>
  /** List transactions of all agents. */
  readonly listOwnerTransactions: (
    input?: Types.ListOwnerTransactionsInput,
    options?: CallOptions,
  ) => Promise<Types.OwnerTransactionList>
  /** Pause all your agents. */
  readonly pauseAllAgents: (input?: Types.NoInput, options?: CallOptions) => Promise<Types.AgentsPaused>
  /** Change the owner’s policy. */
  readonly updateOwnerPolicy: (
    input?: Types.UpdateOwnerPolicyInput,
    options?: CallOptions,
  ) => Promise<Types.UpdatedOwnerPolicy>
  /** Be notified in this browser. */
  readonly createPushSubscription: (
    input: Types.CreatePushSubscriptionInput,
    options?: CallOptions,
  ) => Promise<Types.PushSubscriptionCreated>
  /** No longer be notified in a browser. */
  readonly endPushSubscription: (
    input: Types.EndPushSubscriptionInput,
    options?: CallOptions,
  ) => Promise<Types.PushSubscriptionEnded>
  /** Get your notification settings. */
  readonly getNotificationSettings: (
    input?: Types.NoInput,
    options?: CallOptions,
  ) => Promise<Types.NotificationSettings>
  /** List the browsers that notify you. */
  readonly listPushSubscriptions: (
    input?: Types.NoInput,
    options?: CallOptions,
  ) => Promise<Types.PushSubscriptions>
  /** Change your notification settings. */
  readonly updateNotificationSettings: (
    input?: Types.UpdateNotificationSettingsInput,
    options?: CallOptions,
  ) => Promise<Types.NotificationSettingsUpdated>
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
  /** Freeze an owner. */
  readonly freezeOwner: (input: Types.FreezeOwnerInput, options?: CallOptions) => Promise<Types.FrozenOwner>
  /** Get payments by day and requests by hour. */
  readonly getActivity: (input?: Types.NoInput, options?: CallOptions) => Promise<Types.Activity>
  /** Get the overview. */
  readonly getOverview: (input?: Types.NoInput, options?: CallOptions) => Promise<Types.Overview>
  /** Get any owner. */
  readonly getOwnerAccount: (
    input: Types.GetOwnerAccountInput,
    options?: CallOptions,
  ) => Promise<Types.OwnerAccountDetails>
  /** Get a risk alert. */
  readonly getRiskAlert: (
    input: Types.GetRiskAlertInput,
    options?: CallOptions,
  ) => Promise<Types.RiskAlertDetails>
  /** Get an agent’s risk score. */
  readonly getRiskScore: (input: Types.GetRiskScoreInput, options?: CallOptions) => Promise<Types.RiskScore>
  /** List all owners. */
  readonly listAllOwners: (
    input?: Types.ListAllOwnersInput,
    options?: CallOptions,
  ) => Promise<Types.OwnerAccountList>
  /** List the checks and what they found. */
  readonly listChecks: (input?: Types.NoInput, options?: CallOptions) => Promise<Types.CheckList>
  /** List differences with the gateway. */
  readonly listDifferences: (
    input?: Types.ListDifferencesInput,
    options?: CallOptions,
  ) => Promise<Types.DifferenceList>
  /** List failed deliveries. */
  readonly listFailedDeliveries: (
    input?: Types.ListFailedDeliveriesInput,
    options?: CallOptions,
  ) => Promise<Types.FailedDeliveryList>
  /** List wallets below zero. */
  readonly listNegativeWallets: (
    input?: Types.ListNegativeWalletsInput,
    options?: CallOptions,
  ) => Promise<Types.NegativeWalletList>
  /** List risk alerts. */
  readonly listRiskAlerts: (
    input?: Types.ListRiskAlertsInput,
    options?: CallOptions,
  ) => Promise<Types.RiskAlertList>
  /** List the risk rules. */
  readonly listRiskRules: (input?: Types.NoInput, options?: CallOptions) => Promise<Types.RiskRuleList>
  /** List the skipped wallets of a settlement run. */
  readonly listSettlementSkips: (
    input: Types.ListSettlementSkipsInput,
    options?: CallOptions,
  ) => Promise<Types.SettlementSkipList>
  /** List settlement runs. */
  readonly listSettlements: (
    input?: Types.ListSettlementsInput,
    options?: CallOptions,
  ) => Promise<Types.SettlementRunList>
  /** List the tiers’ defaults. */
  readonly listTiers: (input?: Types.NoInput, options?: CallOptions) => Promise<Types.TierList>
  /** Review a risk alert. */
  readonly reviewRiskAlert: (
    input: Types.ReviewRiskAlertInput,
    options?: CallOptions,
  ) => Promise<Types.RiskAlert>
  /** Set an owner’s tier. */
  readonly setOwnerTier: (
    input: Types.SetOwnerTierInput,
    options?: CallOptions,
  ) => Promise<Types.OwnerAccount>
  /** Unfreeze an owner. */
  readonly unfreezeOwner: (
    input: Types.UnfreezeOwnerInput,
    options?: CallOptions,
  ) => Promise<Types.UnfrozenOwner>
  /** Change a tier’s defaults. */
  readonly updateTier: (input: Types.UpdateTierInput, options?: CallOptions) => Promise<Types.TierDefaults>
  /** Receive a gateway webhook. */
  readonly receiveGatewayWebhook: (
    input: Types.ReceiveGatewayWebhookInput,
    options?: CallOptions,
  ) => Promise<Types.GatewayWebhookReceived>
  /** Advance the clock. */
  readonly advanceClock: (
    input: Types.AdvanceClockInput,
    options?: CallOptions,
  ) => Promise<Types.ClockAdvanced>
  /** Simulate the payer on the checkout page. */
  readonly completeSandboxPayment: (
    input: Types.CompleteSandboxPaymentInput,
    options?: CallOptions,
  ) => Promise<Types.SandboxPayment>
  /** List the text messages of a phone. */
  readonly getSandboxMessages: (
    input: Types.GetSandboxMessagesInput,
    options?: CallOptions,
  ) => Promise<Types.SandboxMessages>
  /** Get the last one-time code. */
  readonly getSandboxOtp: (
    input: Types.GetSandboxOtpInput,
    options?: CallOptions,
  ) => Promise<Types.SandboxOtp>
  /** Check that the process is alive. */
  readonly getHealth: (input?: Types.NoInput, options?: CallOptions) => Promise<Types.Health>
  /** Check that the service is ready. */
  readonly getReadiness: (input?: Types.NoInput, options?: CallOptions) => Promise<Types.Readiness>
}

/**
 * Method and path of every route; after `?` the query fields of a change's input, after `=` the input that is its
 * whole body.
 */
export const ROUTES: Readonly<Record<keyof Api, string>> = {
  createPlatform: 'POST /v1/platforms',
  deletePlatform: 'DELETE /v1/platforms/{platform_id}',
  getCurrentPlatform: 'GET /v1/platforms/me',
  getFirstSteps: 'GET /v1/platforms/me/first-steps',
  getPlatform: 'GET /v1/platforms/{platform_id}',
  getRequestUsage: 'GET /v1/requests/usage',
  listRequests: 'GET /v1/requests',
  rotatePlatformSecret: 'POST /v1/platforms/{platform_id}/rotate-secret',
  rotateWebhookSecret: 'POST /v1/platforms/{platform_id}/rotate-webhook-secret',
  updatePlatform: 'PATCH /v1/platforms/{platform_id}',
  cancelBankAccountChange: 'DELETE /v1/owners/{owner_id}/pending-bank-account',
  createOwner: 'POST /v1/owners',
  getOwner: 'GET /v1/owners/{owner_id}',
  inviteOwner: 'POST /v1/owners/{owner_id}/invite',
  listOwners: 'GET /v1/owners',
  submitKyc: 'POST /v1/owners/{owner_id}/kyc',
  createAgent: 'POST /v1/agents',
  deactivateAgent: 'DELETE /v1/agents/{agent_id}',
  getAgent: 'GET /v1/agents/{agent_id}',
  getAgentExistence: 'GET /v1/agents/{agent_id}/exists',
  getAgentOverview: 'GET /v1/agents/{agent_id}/overview',
  getCurrentAgent: 'GET /v1/agents/me',
  getHandleAvailability: 'GET /v1/agents/handle/{handle}/available',
  listAgents: 'GET /v1/agents',
  pauseAgent: 'POST /v1/agents/{agent_id}/pause',
  resumeAgent: 'POST /v1/agents/{agent_id}/resume',
  rotateAgentKey: 'POST /v1/agents/{agent_id}/rotate-keys',
  updateAgent: 'PATCH /v1/agents/{agent_id}',
  cancelPendingPolicy: 'DELETE /v1/agents/{agent_id}/pending-policy/{control}',
  evaluatePolicy: 'POST /v1/agents/{agent_id}/policy/evaluate',
  getAgentPolicy: 'GET /v1/agents/{agent_id}/policy',
  getExposure: 'GET /v1/agents/{agent_id}/exposure',
  listNamedPayees: 'GET /v1/agents/{agent_id}/payees',
  listPolicyVersions: 'GET /v1/agents/{agent_id}/policy/versions',
  addMember: 'POST /v1/orgs/{org_id}/agents',
  allocate: 'POST /v1/orgs/{org_id}/allocate',
  createOrganization: 'POST /v1/orgs',
  getBudget: 'GET /v1/orgs/{org_id}/budget',
  getOrganization: 'GET /v1/orgs/{org_id}',
  listOrganizationTransactions: 'GET /v1/orgs/{org_id}/transactions',
  listOrganizations: 'GET /v1/orgs',
  nameTreasury: 'POST /v1/orgs/{org_id}/treasury',
  removeMember: 'DELETE /v1/orgs/{org_id}/agents/{agent_id}',
  updateMember: 'PATCH /v1/orgs/{org_id}/agents/{agent_id}',
  createFunding: 'POST /v1/agents/{agent_id}/fund',
  createUpiCollect: 'POST /api/web/fund/{agent_id}/upi',
  getBalance: 'GET /v1/agents/{agent_id}/balance',
  getFunding: 'GET /v1/agents/{agent_id}/fund/{funding_id}',
  withdraw: 'POST /v1/agents/{agent_id}/withdraw',
  getPayment: 'GET /v1/agents/{agent_id}/payments/{payment_id}',
  listPayments: 'GET /v1/agents/{agent_id}/payments',
  pay: 'POST /v1/agents/{agent_id}/pay',
  refundPayment: 'POST /v1/payments/{payment_id}/refund',
  allowConnectRequest: 'POST /v1/connect/{request_id}/allow',
  denyConnectRequest: 'POST /v1/connect/{request_id}/deny',
  endConnectedApp: 'DELETE /v1/connected-apps/{app_id}',
  getConnectRequest: 'GET /v1/connect/{request_id}',
  listConnectedApps: 'GET /v1/connected-apps',
  approve: 'POST /v1/approvals/{approval_id}/approve',
  challengeApproval: 'POST /v1/approvals/{approval_id}/challenge',
  createAllowance: 'POST /v1/allowances',
  endAllowance: 'DELETE /v1/allowances/{allowance_id}',
  getApproval: 'GET /v1/approvals/{approval_id}',
  getApprovalDetails: 'GET /v1/approvals/{approval_id}/details',
  listAllowances: 'GET /v1/allowances',
  listApprovals: 'GET /v1/approvals',
  reject: 'POST /v1/approvals/{approval_id}/reject',
  authorize: 'POST /v1/agents/{agent_id}/authorizations',
  captureAuthorization: 'POST /v1/authorizations/{authorization_id}/capture',
  closeAuthorization: 'POST /v1/authorizations/{authorization_id}/close',
  getAuthorization: 'GET /v1/authorizations/{authorization_id}',
  listAuthorizations: 'GET /v1/agents/{agent_id}/authorizations',
  voidAuthorization: 'POST /v1/authorizations/{authorization_id}/void',
  attestEscrow: 'POST /v1/escrow/{escrow_id}/attest',
  getEscrow: 'GET /v1/escrow/{escrow_id}',
  getEscrowDetails: 'GET /v1/escrow/{escrow_id}/details',
  holdEscrow: 'POST /v1/agents/{agent_id}/escrow/hold',
  holdEscrowWithAttestation: 'POST /v1/agents/{agent_id}/escrow/hold-with-attestation',
  holdEscrowWithTimeout: 'POST /v1/agents/{agent_id}/escrow/hold-with-timeout',
  listEscrows: 'GET /v1/escrow',
  refundEscrow: 'POST /v1/escrow/{escrow_id}/refund',
  releaseEscrow: 'POST /v1/escrow/{escrow_id}/release',
  getSpending: 'GET /v1/agents/{agent_id}/spending',
  getStatement: 'GET /v1/agents/{agent_id}/statement',
  listPlatformTransactions: 'GET /v1/transactions',
  listTransactions: 'GET /v1/agents/{agent_id}/transactions',
  restoreNonce: 'POST /v1/transactions/{txn_id}/restore-nonce',
  verifyTransaction: 'GET /v1/transactions/{txn_id}/verify',
  deleteListing: 'DELETE /v1/agents/{agent_id}/listings/{listing_id}',
  listListings: 'GET /v1/agents/{agent_id}/listings',
  listSellers: 'GET /v1/discovery',
  registerListing: 'POST /v1/agents/{agent_id}/listings',
  getX402Supported: 'GET /v1/x402/supported',
  settleX402Payment: 'POST /v1/x402/settle',
  verifyX402Payment: 'POST /v1/x402/verify',
  getReceipt: 'GET /v1/receipts/{receipt_id}',
  verifyReceipt: 'GET /v1/receipts/{receipt_id}/verify',
  getAgentOrigins: 'GET /v1/agents/{handle}/origins',
  getMembershipProof: 'GET /v1/agents/me/proof',
  getPublicKey: 'GET /v1/identity/{agent_id}/public-key',
  verifyIdentity: 'GET /v1/identity/{agent_id}/verify',
  getCertificate: 'GET /v1/certificates/{cert_id}',
  issueCertificate: 'POST /v1/agents/{agent_id}/certificates',
  listCertificates: 'GET /v1/agents/{agent_id}/certificates',
  revokeCertificate: 'POST /v1/certificates/{cert_id}/revoke',
  rotateCertificate: 'POST /v1/certificates/{cert_id}/rotate',
  verifyCertificate: 'GET /v1/certificates/{cert_id}/verify',
  getCheckpoint: 'GET /v1/audit/checkpoint',
  getConsistency: 'GET /v1/audit/consistency',
  listAuditEntries: 'GET /v1/agents/{agent_id}/audit',
  verifyAuditEntry: 'GET /v1/audit/verify',
  getJwks: 'GET /.well-known/jwks.json',
  getServiceKeys: 'GET /.well-known/service-keys.json',
  getWebhookDelivery: 'GET /v1/webhooks/deliveries/{delivery_id}',
  listEvents: 'GET /v1/events',
  listWebhookDeliveries: 'GET /v1/webhooks/deliveries',
  retryWebhookDelivery: 'POST /v1/webhooks/deliveries/{delivery_id}/retry',
  testWebhook: 'POST /v1/webhooks/test',
  endOtherSessions: 'DELETE /v1/sessions',
  endSession: 'DELETE /v1/sessions/{session_id}',
  getPasskeyLoginOptions: 'POST /v1/auth/passkey/options',
  listSessions: 'GET /v1/sessions',
  logInByPasskey: 'POST /v1/auth/passkey/verify',
  logInPlatform: 'POST /v1/auth/platform',
  logOut: 'POST /v1/auth/logout',
  logOutAdmin: 'POST /v1/admin/auth/logout',
  logOutPlatform: 'POST /v1/auth/platform/logout',
  sendAdminOtp: 'POST /v1/admin/auth/send-otp',
  sendOtp: 'POST /v1/auth/send-otp',
  verifyAdminOtp: 'POST /v1/admin/auth/verify-otp',
  verifyOtp: 'POST /v1/auth/verify-otp',
  createPasskey: 'POST /v1/passkeys',
  deletePasskey: 'DELETE /v1/passkeys/{passkey_id}',
  getPasskeyOptions: 'POST /v1/passkeys/options',
  keepPasskey: 'DELETE /v1/passkeys/{passkey_id}/removal',
  listPasskeys: 'GET /v1/passkeys',
  requestStepUp: 'POST /v1/step-up',
  acceptInvitation: 'POST /v1/invitations/{owner_id}/accept',
  cancelOwnerPendingPolicy: 'DELETE /api/web/policy/pending/{control}',
  declineInvitation: 'POST /v1/invitations/{owner_id}/decline',
  getOwnerPolicy: 'GET /api/web/policy',
  getOwnerStatement: 'GET /api/web/statement',
  getSession: 'GET /api/web/me',
  listAgentSummaries: 'GET /api/web/agents',
  listBalances: 'GET /api/web/balances',
  listExposure: 'GET /api/web/exposure',
  listInvitations: 'GET /v1/invitations',
  listOwnerTransactions: 'GET /api/web/transactions',
  pauseAllAgents: 'POST /api/web/agents/pause',
  updateOwnerPolicy: 'PATCH /api/web/policy?owner_id',
  createPushSubscription: 'POST /v1/push-subscriptions',
  endPushSubscription: 'DELETE /v1/push-subscriptions/{subscription_id}',
  getNotificationSettings: 'GET /v1/notifications',
  listPushSubscriptions: 'GET /v1/push-subscriptions',
  updateNotificationSettings: 'PATCH /v1/notifications',
  bulkFreezeAgents: 'POST /v1/admin/agents/bulk-freeze',
  bulkQuarantineAgents: 'POST /v1/admin/agents/bulk-quarantine',
  bulkRestoreAgents: 'POST /v1/admin/agents/bulk-restore',
  freezeOwner: 'POST /v1/admin/owners/{owner_id}/freeze',
  getActivity: 'GET /v1/admin/activity',
  getOverview: 'GET /v1/admin/overview',
  getOwnerAccount: 'GET /v1/admin/owners/{owner_id}',
  getRiskAlert: 'GET /v1/admin/risk/alerts/{alert_id}',
  getRiskScore: 'GET /v1/admin/risk/agents/{agent_id}/score',
  listAllOwners: 'GET /v1/admin/owners',
  listChecks: 'GET /v1/admin/checks',
  listDifferences: 'GET /v1/admin/reconciliation',
  listFailedDeliveries: 'GET /v1/admin/failed-deliveries',
  listNegativeWallets: 'GET /v1/admin/negative-wallets',
  listRiskAlerts: 'GET /v1/admin/risk/alerts',
  listRiskRules: 'GET /v1/admin/risk/rules',
  listSettlementSkips: 'GET /v1/admin/settlements/{day}/skipped',
  listSettlements: 'GET /v1/admin/settlements',
  listTiers: 'GET /v1/admin/tiers',
  reviewRiskAlert: 'POST /v1/admin/risk/alerts/{alert_id}/review',
  setOwnerTier: 'PATCH /v1/admin/owners/{owner_id}',
  unfreezeOwner: 'POST /v1/admin/owners/{owner_id}/unfreeze',
  updateTier: 'PATCH /v1/admin/tiers/{tier}',
  receiveGatewayWebhook: 'POST /v1/gateway/{gateway}/webhooks=body',
  advanceClock: 'POST /sandbox/clock',
  completeSandboxPayment: 'POST /sandbox/payments/{payment_session_id}',
  getSandboxMessages: 'GET /sandbox/messages/{phone}',
  getSandboxOtp: 'GET /sandbox/otp/{phone}',
  getHealth: 'GET /healthz',
  getReadiness: 'GET /readyz',
}

/** The routes whose response is a file of any length. */
export const DOWNLOADS: ReadonlySet<keyof Api> = new Set<keyof Api>(['getStatement', 'getOwnerStatement'])
