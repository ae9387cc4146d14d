import {
  createAgent,
  deactivateAgent,
  getAgent,
  getCurrentAgent,
  listAgents,
  rotateAgentKey,
  updateAgent,
} from './agents.ts'
import { receiveGatewayNotice } from './gateway.ts'
import { getAgentExistence, getHandleAvailability } from './handles.ts'
import { getHealth, getReadiness } from './health.ts'
import { getJwks, getServiceKeys } from './keys.ts'
import { createOwner, getOwner, listOwners, submitKyc } from './owners.ts'
import { getPayment, listPayments, pay, refundPayment } from './payments.ts'
import {
  createPlatform,
  deletePlatform,
  getPlatform,
  rotatePlatformSecret,
  rotateWebhookSecret,
  updatePlatform,
} from './platforms.ts'
import { getReceipt, verifyReceipt } from './receipts.ts'
import type { Route } from './route.ts'
import { advanceClock, completeSandboxPayment } from './sandbox.ts'
import { listTransactions, verifyTransaction } from './transactions.ts'
import { createFunding, createUpiCollect, getBalance, getFunding } from './wallets.ts'

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
  createAgent,
  listAgents,
  getCurrentAgent,
  getHandleAvailability,
  getAgentExistence,
  getAgent,
  updateAgent,
  deactivateAgent,
  rotateAgentKey,
  getBalance,
  createFunding,
  getFunding,
  createUpiCollect,
  pay,
  getPayment,
  listPayments,
  refundPayment,
  listTransactions,
  verifyTransaction,
  getReceipt,
  verifyReceipt,
  getServiceKeys,
  getJwks,
  receiveGatewayNotice,
  completeSandboxPayment,
  advanceClock,
  getHealth,
  getReadiness,
} satisfies Record<string, Route>

export type Routes = typeof routes
export type OperationId = keyof Routes
