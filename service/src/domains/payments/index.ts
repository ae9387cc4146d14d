/** Money between wallets: payments, escrow, approvals, allocations, and their statements and receipts. */
export { serveAllocations } from './allocations/routes.ts'
export { serveAllowances } from './allowances/routes.ts'
export { allowances } from './allowances/store.ts'
export { serveApprovals } from './approvals/routes.ts'
export { approvals, countPendingApprovals, selectWaiting } from './approvals/store.ts'
export { captureCommand } from './authorizations/capture.ts'
export { endCommand } from './authorizations/end.ts'
export { findByToken, type ReceivedAuthorization } from './authorizations/find-authorization.ts'
export { type AuthorizationsContext, serveAuthorizations } from './authorizations/routes.ts'
export {
  authorizations,
  countAuthorizedOfPlatform,
  selectNewestCapture,
  sumAuthorized,
} from './authorizations/store.ts'
export { serveWallets } from './balance.ts'
export { decideBlocked } from './decide.ts'
export { serveEscrow } from './escrow/routes.ts'
export { countHeldOfPlatform, escrows, sumHeld } from './escrow/store.ts'
export { executorsOf } from './executors.ts'
export { keyCheck, keyOf, type RequestKey } from './idempotency.ts'
export { paymentJobs } from './jobs.ts'
export { servePageData } from './overview/routes.ts'
export { createReceiptTokens } from './receipts/receipt-token.ts'
export { serveReceipts } from './receipts/routes.ts'
export { type RefundsContext, refundReceived } from './refund.ts'
export { servePayments } from './routes.ts'
export { serveStatements } from './statements/exports/routes.ts'
export { serveTransactions } from './statements/routes.ts'
export { selectMovementStatus } from './statements/statement-store.ts'
