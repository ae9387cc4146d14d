import { bulkFreezeAgents, bulkQuarantineAgents, bulkRestoreAgents } from './admin-agents.ts'
import { listDifferences, listNegativeWallets } from './admin-money.ts'
import { getOverview } from './admin-overview.ts'
import { freezeOwner, getOwnerAccount, listAllOwners, setOwnerTier, unfreezeOwner } from './admin-owners.ts'
import { pauseAgent, resumeAgent } from './agent-states.ts'
import {
  createAgent,
  deactivateAgent,
  getAgent,
  getCurrentAgent,
  listAgents,
  rotateAgentKey,
  updateAgent,
} from './agents.ts'
import { approve, getApproval, listApprovals, reject } from './approvals.ts'
import { getCheckpoint, getConsistency, listAuditEntries, verifyAuditEntry } from './audit.ts'
import {
  getCertificate,
  issueCertificate,
  listCertificates,
  revokeCertificate,
  rotateCertificate,
  verifyCertificate,
} from './certificates.ts'
import {
  attestEscrow,
  getEscrow,
  holdEscrow,
  holdEscrowWithAttestation,
  holdEscrowWithTimeout,
  refundEscrow,
  releaseEscrow,
} from './escrow.ts'
import { evaluatePolicy } from './evaluate.ts'
import { receiveGatewayNotice } from './gateway.ts'
import { getAgentExistence, getHandleAvailability } from './handles.ts'
import { getHealth, getReadiness } from './health.ts'
import { getAgentOrigins, getMembershipProof, getPublicKey, verifyIdentity } from './identity.ts'
import { acceptInvitation, declineInvitation, inviteOwner, listInvitations } from './invitations.ts'
import { getJwks, getServiceKeys } from './keys.ts'
import {
  addMember,
  allocate,
  createOrganization,
  getBudget,
  getOrganization,
  listOrganizations,
  listOrganizationTransactions,
  nameTreasury,
  removeMember,
  updateMember,
} from './organizations.ts'
import { cancelBankAccountChange, createOwner, getOwner, listOwners, submitKyc } from './owners.ts'
import { getPayment, listPayments, pay, refundPayment } from './payments.ts'
import { withdraw } from './payouts.ts'
import {
  createPlatform,
  deletePlatform,
  getPlatform,
  rotatePlatformSecret,
  rotateWebhookSecret,
  updatePlatform,
} from './platforms.ts'
import {
  cancelOwnerPendingPolicy,
  cancelPendingPolicy,
  getAgentPolicy,
  getOwnerPolicy,
  updateOwnerPolicy,
} from './policy-routes.ts'
import { getReceipt, verifyReceipt } from './receipts.ts'
import { getRiskScore, listRiskAlerts, listRiskRules, reviewRiskAlert } from './risk.ts'
import type { Route } from './route.ts'
import { advanceClock, completeSandboxPayment, getSandboxMessages, getSandboxOtp } from './sandbox.ts'
import {
  getSession,
  logOut,
  logOutAdmin,
  sendAdminOtp,
  sendOtp,
  verifyAdminOtp,
  verifyOtp,
} from './sessions.ts'
import { listSettlementSkips, listSettlements } from './settlements.ts'
import { listTiers, updateTier } from './tiers.ts'
import { listOwnerTransactions, listTransactions, restoreNonce, verifyTransaction } from './transactions.ts'
import { createFunding, createUpiCollect, getBalance, getFunding } from './wallets.ts'
import { listWebhookDeliveries, retryWebhookDelivery, testWebhook } from './webhooks.ts'

/** Every route of the service by its operationId, in the order of the reference page. */
export const routes = {
  createPlatform,
  getPlatform,
  updatePlatform,
  deletePlatform,
  rotatePlatformSecret,
  rotateWebhookSecret,
  createOwner,
  listOwners,
  getOwner,
  submitKyc,
  cancelBankAccountChange,
  inviteOwner,
  createAgent,
  listAgents,
  getCurrentAgent,
  getHandleAvailability,
  getAgentExistence,
  getAgent,
  updateAgent,
  deactivateAgent,
  pauseAgent,
  resumeAgent,
  rotateAgentKey,
  getAgentPolicy,
  cancelPendingPolicy,
  evaluatePolicy,
  getBalance,
  createFunding,
  getFunding,
  createUpiCollect,
  withdraw,
  pay,
  getPayment,
  listPayments,
  refundPayment,
  listApprovals,
  getApproval,
  approve,
  reject,
  holdEscrow,
  holdEscrowWithTimeout,
  holdEscrowWithAttestation,
  releaseEscrow,
  refundEscrow,
  attestEscrow,
  getEscrow,
  listTransactions,
  verifyTransaction,
  restoreNonce,
  getReceipt,
  verifyReceipt,
  getMembershipProof,
  getAgentOrigins,
  verifyIdentity,
  getPublicKey,
  issueCertificate,
  listCertificates,
  getCertificate,
  verifyCertificate,
  revokeCertificate,
  rotateCertificate,
  listAuditEntries,
  verifyAuditEntry,
  getCheckpoint,
  getConsistency,
  createOrganization,
  listOrganizations,
  getOrganization,
  addMember,
  updateMember,
  removeMember,
  nameTreasury,
  allocate,
  listOrganizationTransactions,
  getBudget,
  listWebhookDeliveries,
  retryWebhookDelivery,
  testWebhook,
  sendOtp,
  verifyOtp,
  logOut,
  sendAdminOtp,
  verifyAdminOtp,
  logOutAdmin,
  getSession,
  listInvitations,
  acceptInvitation,
  declineInvitation,
  listOwnerTransactions,
  getOwnerPolicy,
  updateOwnerPolicy,
  cancelOwnerPendingPolicy,
  getOverview,
  listAllOwners,
  getOwnerAccount,
  setOwnerTier,
  freezeOwner,
  unfreezeOwner,
  bulkFreezeAgents,
  bulkQuarantineAgents,
  bulkRestoreAgents,
  listTiers,
  updateTier,
  listSettlements,
  listSettlementSkips,
  listNegativeWallets,
  listDifferences,
  listRiskAlerts,
  reviewRiskAlert,
  getRiskScore,
  listRiskRules,
  getServiceKeys,
  getJwks,
  receiveGatewayNotice,
  completeSandboxPayment,
  getSandboxOtp,
  getSandboxMessages,
  advanceClock,
  getHealth,
  getReadiness,
} satisfies Record<string, Route>

export type Routes = typeof routes
export type OperationId = keyof Routes
