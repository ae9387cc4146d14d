import type { OperationId } from '@batua/contract'
import type { Sent } from './api.ts'
import { ADMIN_PHONE } from './log-in.ts'
import { newBankAccount, newHandle, newPan, newPhone } from './network.ts'
import { PENDING_CONTROL, type World } from './world.ts'

/** A valid call of every route in a world, without a credential. A new route has to be added here. */
export const VALID_CALLS: Record<OperationId, (world: World) => Sent> = {
  createPlatform: () => ({
    body: { name: 'Another', email: 'dev@example.com', webhook_url: 'https://example.com/w' },
  }),
  getPlatform: ofPlatform,
  updatePlatform: world => ({
    ...ofPlatform(world),
    body: { name: 'Renamed', email: 'dev@example.com', webhook_url: `${world.delivery.url ?? ''}/v2` },
  }),
  deletePlatform: ofPlatform,
  rotatePlatformSecret: ofPlatform,
  rotateWebhookSecret: ofPlatform,
  createOwner: () => ({
    body: { name: 'Ravi Iyer', phone: newPhone(), pan: newPan(), email: 'ravi@example.com' },
  }),
  listOwners: () => ({ query: { limit: 5 } }),
  getOwner: ofOwner,
  submitKyc: world => ({
    ...ofOwner(world),
    body: { bank_account: newBankAccount(), bank_ifsc: 'HDFC0001234' },
  }),
  cancelBankAccountChange: ofOwner,
  inviteOwner: ({ newcomer }) => ({ params: { owner_id: newcomer.id } }),
  createAgent: world => ({
    body: { name: 'Another', handle: newHandle(), owner_id: world.owner.id, ...policy(world) },
  }),
  listAgents: world => ({
    query: { status: 'active', owner_id: world.owner.id, handle: world.payer.handle, limit: 5 },
  }),
  getCurrentAgent: () => ({}),
  getCurrentPlatform: () => ({}),
  getHandleAvailability: () => ({ params: { handle: newHandle() } }),
  getAgentExistence: ofPayer,
  getAgent: ofPayer,
  updateAgent: world => ({ ...ofPayer(world), body: { name: 'Renamed', ...policy(world) } }),
  deactivateAgent: ofPayer,
  pauseAgent: ofPayer,
  pauseAllAgents: () => ({}),
  resumeAgent: ofPayer,
  rotateAgentKey: ofPayer,
  getEventStream: () => ({}),
  getBalance: ofPayer,
  createFunding: world => ({ ...ofPayer(world), body: { amount: 10, method: 'upi' } }),
  getFunding: ({ payer, session }) => ({ params: { agent_id: payer.id, funding_id: session.funding_id } }),
  withdraw: world => ({ ...ofPayer(world), body: { amount: 1 } }),
  createUpiCollect: world => ({ ...ofPayer(world), body: { amount: 10, upi_id: 'asha@examplebank' } }),
  pay: world => ({
    ...ofPayer(world),
    body: {
      to: world.payee.handle,
      amount: 1,
      reference: 'invoice-2',
      note: 'a note',
      idempotency_key: newHandle(),
      unique_reference: false,
    },
  }),
  getPayment: ({ payer, payment }) => ({
    params: { agent_id: payer.id, payment_id: payment.payment_id ?? '' },
  }),
  listPayments: world => ({ ...ofPayer(world), query: { idempotency_key: 'key-1', reference: 'invoice-1' } }),
  evaluatePolicy: world => ({ ...ofPayer(world), body: { to: world.payee.handle, amount: 1 } }),
  refundPayment: ({ payment }) => ({
    params: { payment_id: payment.payment_id ?? '' },
    body: { amount: 1, idempotency_key: newHandle() },
  }),
  holdEscrow: world => ({ ...ofPayer(world), body: { amount: 1, reference: 'order-1' } }),
  holdEscrowWithTimeout: world => ({
    ...ofPayer(world),
    body: {
      amount: 1,
      timeout_hours: 1.5,
      auto_action: 'release',
      reference: 'order-1',
      to_agent_id: world.payee.handle,
    },
  }),
  holdEscrowWithAttestation: world => ({
    ...ofPayer(world),
    body: {
      amount: 1,
      attestor_agent_id: world.payee.id,
      reference: 'order-1',
      to_agent_id: world.payee.handle,
    },
  }),
  releaseEscrow: world => ({ ...ofEscrow(world), body: { to_agent_id: world.payee.id } }),
  refundEscrow: ofEscrow,
  attestEscrow: ofEscrow,
  getEscrow: ofEscrow,
  listTransactions: world => ({
    ...ofPayer(world),
    query: {
      type: 'pay_out',
      status: 'completed',
      from_date: '2026-01-01',
      to_date: '2099-12-31T23:59:59Z',
      limit: 5,
    },
  }),
  verifyTransaction: ({ payment, payee }) => ({
    params: { txn_id: payment.payment_id ?? '' },
    query: { expected_payee: payee.handle, expected_amount: 100, nonce: 'invoice-1', consume: false },
  }),
  restoreNonce: ({ payment }) => ({
    params: { txn_id: payment.payment_id ?? '' },
    body: { nonce: 'invoice-1', consume_id: 'request-1' },
  }),
  listApprovals: ({ payer }) => ({ query: { status: 'pending_approval', agent_id: payer.id, limit: 5 } }),
  getApproval: ofApproval,
  approve: world => ({ ...ofApproval(world), body: { allow: { amount: 10, until: in29Days() } } }),
  createAllowance: ({ payer, payee }) => ({
    body: { agent_id: payer.id, to: payee.handle, amount: 10, until: in29Days() },
  }),
  listAllowances: ({ payer }) => ({ query: { agent_id: payer.id, limit: 5 } }),
  endAllowance: ({ allowance }) => ({ params: { allowance_id: allowance.allowance_id } }),
  reject: world => ({ ...ofApproval(world), body: { reason: 'Too expensive' } }),
  getReceipt: ofReceipt,
  verifyReceipt: ofReceipt,
  issueCertificate: world => ({
    ...ofPayer(world),
    body: { capabilities: ['pay', 'receive'], validity_days: 30 },
  }),
  listCertificates: world => ({ ...ofPayer(world), query: { status: 'active', limit: 5 } }),
  getCertificate: ofCertificate,
  verifyCertificate: ofCertificate,
  revokeCertificate: world => ({ ...ofCertificate(world), body: { reason: 'Key compromised' } }),
  rotateCertificate: world => ({ ...ofCertificate(world), body: { capabilities: ['pay'] } }),
  getMembershipProof: () => ({}),
  verifyIdentity: ofPayer,
  getPublicKey: ofPayer,
  getAgentOrigins: ({ payer }) => ({ params: { handle: payer.handle } }),
  sendOtp: () => ({ body: { phone: newPhone() } }),
  verifyOtp: ({ owner }) => ({ body: { phone: owner.phone, code: '000000' } }),
  logOut: () => ({}),
  sendAdminOtp: () => ({ body: { phone: newPhone() } }),
  verifyAdminOtp: () => ({ body: { phone: ADMIN_PHONE, code: '000000' } }),
  logOutAdmin: () => ({}),
  logInPlatform: ({ platform: { id, secret } }) => ({ body: { platform_id: id, platform_secret: secret } }),
  logOutPlatform: () => ({}),
  listSessions: () => ({}),
  endSession: ({ ownerSessionId }) => ({ params: { session_id: ownerSessionId } }),
  endOtherSessions: () => ({}),
  getSession: () => ({}),
  listInvitations: () => ({ query: { limit: 5 } }),
  acceptInvitation: ({ invitation }) => ({ params: { owner_id: invitation.id } }),
  declineInvitation: ({ invitation }) => ({ params: { owner_id: invitation.id } }),
  listOwnerTransactions: ({ payer }) => ({
    query: { agent_id: payer.id, type: 'pay_out', status: 'completed', limit: 5 },
  }),
  getAgentPolicy: world => ({ ...ofPayer(world), query: { to: world.payee.handle } }),
  listPolicyVersions: world => ({ ...ofPayer(world), query: { limit: 5 } }),
  cancelPendingPolicy: ({ payer }) => ({ params: { agent_id: payer.id, control: PENDING_CONTROL } }),
  getOwnerPolicy: ofOwnerSession,
  updateOwnerPolicy: world => ({ ...ofOwnerSession(world), body: policy(world) }),
  cancelOwnerPendingPolicy: world => ({ ...ofOwnerSession(world), params: { control: PENDING_CONTROL } }),
  listTiers: () => ({}),
  updateTier: () => ({
    params: { tier: 'tier3' },
    body: {
      per_tx: 100_000,
      daily: 1_000_000,
      monthly: 10_000_000,
      escrow_above: 50_000,
      approval_above: 500_000,
    },
  }),
  getOverview: () => ({}),
  listNegativeWallets: () => ({ query: { limit: 5 } }),
  listDifferences: () => ({ query: { kind: 'amount_differs', limit: 5 } }),
  listSettlements: () => ({ query: { limit: 5 } }),
  listSettlementSkips: ({ settlementDay }) => ({
    params: { day: settlementDay },
    query: { reason: 'below_minimum', limit: 5 },
  }),
  listAllOwners: () => ({ query: { status: 'active', kyc_status: 'none', limit: 5 } }),
  getOwnerAccount: ofOwner,
  setOwnerTier: world => ({ ...ofOwner(world), body: { tier: 'tier2' } }),
  freezeOwner: ofOwner,
  unfreezeOwner: ofOwner,
  bulkFreezeAgents: bothAgents,
  bulkQuarantineAgents: bothAgents,
  bulkRestoreAgents: bothAgents,
  listRiskAlerts: ({ payer }) => ({
    query: {
      status: 'open',
      rule: 'failed_authentication',
      severity: 'high',
      agent_id: payer.id,
      limit: 5,
    },
  }),
  reviewRiskAlert: ({ alert }) => ({
    params: { alert_id: alert.alert_id },
    body: { decision: 'confirm', note: 'seen' },
  }),
  getRiskScore: ofPayer,
  listRiskRules: () => ({}),
  getServiceKeys: () => ({}),
  getJwks: () => ({}),
  receiveGatewayNotice: () => ({ params: { gateway: 'sandbox' }, body: { type: 'PAYMENT_SUCCESS_WEBHOOK' } }),
  completeSandboxPayment: ({ session }) => ({
    params: { payment_session_id: session.payment_session_id },
    body: { outcome: 'pending', method: 'upi' },
  }),
  getSandboxOtp: ({ owner }) => ({ params: { phone: owner.phone } }),
  getSandboxMessages: ({ owner }) => ({ params: { phone: owner.phone } }),
  advanceClock: () => ({ body: { advance_seconds: 0 } }),
  createOrganization: ({ owner }) => ({ body: { name: 'Another', tier: 'tier1', owner_id: owner.id } }),
  listOrganizations: ({ owner }) => ({ query: { owner_id: owner.id, limit: 5 } }),
  getOrganization: ofOrganization,
  addMember: world => ({
    ...ofOrganization(world),
    body: { agent_id: world.loner.id, role: 'admin', budget_limit: 400 },
  }),
  updateMember: world => ({ ...ofMember(world), body: { role: 'worker', budget_limit: 5000 } }),
  removeMember: ofMember,
  nameTreasury: world => ({ ...ofOrganization(world), body: { agent_id: world.payer.id } }),
  allocate: world => ({ ...ofOrganization(world), body: { agent_id: world.payee.id, amount: 1 } }),
  listOrganizationTransactions: world => ({ ...ofOrganization(world), query: { limit: 5 } }),
  getBudget: ofOrganization,
  listAuditEntries: world => ({
    ...ofPayer(world),
    query: {
      action: 'payment.completed',
      from_date: '2026-01-01',
      to_date: '2099-12-31T23:59:59Z',
      limit: 5,
    },
  }),
  verifyAuditEntry: ({ payment }) => ({
    query: { audit_id: (payment.payment_id ?? '').replace(/^pay_/, 'aud_') },
  }),
  getCheckpoint: () => ({}),
  getConsistency: () => ({ query: { from: 0, to: 0 } }),
  listWebhookDeliveries: () => ({ query: { status: 'delivered', event: 'webhook.test', limit: 5 } }),
  retryWebhookDelivery: ({ delivery }) => ({ params: { delivery_id: delivery.delivery_id } }),
  testWebhook: () => ({}),
  getHealth: () => ({}),
  getReadiness: () => ({}),
}

function ofPlatform({ platform }: World): Sent {
  return { params: { platform_id: platform.id } }
}

function ofOwner({ owner }: World): Sent {
  return { params: { owner_id: owner.id } }
}

function ofOwnerSession({ owner }: World): Sent {
  return { query: { owner_id: owner.id } }
}

function ofPayer({ payer }: World): Sent {
  return { params: { agent_id: payer.id } }
}

/** Within the longest time also where a test has moved the clock by days. */
function in29Days(): string {
  return new Date(Date.now() + 29 * 86_400_000).toISOString()
}

function ofApproval({ approval }: World): Sent {
  return { params: { approval_id: approval.approval_id ?? '' } }
}

function ofEscrow({ escrow }: World): Sent {
  return { params: { escrow_id: escrow.escrow_id ?? '' } }
}

function ofOrganization({ organization }: World): Sent {
  return { params: { org_id: organization.id } }
}

function ofMember({ organization, payee }: World): Sent {
  return { params: { org_id: organization.id, agent_id: payee.id } }
}

function ofCertificate({ certificate }: World): Sent {
  return { params: { cert_id: certificate.id } }
}

function bothAgents({ payer, payee }: World): Sent {
  return { body: { agent_ids: [payer.id, payee.id] } }
}

function ofReceipt({ payment }: World): Sent {
  return { params: { receipt_id: payment.receipt_id ?? '' } }
}

function policy({ payee, stranger }: World) {
  return {
    spend_limit_per_tx: 5000,
    spend_limit_hourly: 5000,
    spend_limit_daily: 5000,
    spend_limit_monthly: 5000,
    allowed_payees: [payee.id],
    blocked_payee_agents: [stranger.agent.id],
    per_counterparty_daily_limit: 5000,
    max_counterparties_per_hour: 5,
    require_escrow_above: 5000,
    require_human_approval_above: 5000,
  }
}
