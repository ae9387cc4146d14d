/** The ledger and its posting engine: the only writer of balances. */
export {
  type Account,
  isSystemAccount,
  lockAccounts,
  lockForChange,
  openAccount,
  SYSTEM,
  selectLastSpent,
  selectLatestMs,
  updatePolicySince,
} from './accounts.ts'
export { type Command, Prerequisite, type Services } from './command.ts'
export { type Ledger, type LedgerOptions, openLedger } from './engine.ts'
export { FOLDED_BACK_MS, type Fold, foldTransfers, idBehind, pauseFolding, readFoldedBefore } from './fold.ts'
export { checkLedger, type Holdings, type LedgerReport } from './integrity.ts'
export {
  keyAt,
  type LedgerBatch,
  type Posting,
  type Read,
  type Reader,
  read,
  reader,
  readerById,
  readOne,
  type Writer,
} from './ledger-batch.ts'
export { addLedgerMetrics, addQueueMetric } from './metrics.ts'
export { addRelease, type ReleaseBounds, releasesWriter } from './releases.ts'
export { refreshRollingSum, rollingSumRead } from './rolling-window.ts'
export { type RollingWindow, rollingSpent, type Spending, WINDOW_MS } from './spending.ts'
export {
  type FoundTransfer,
  findEndOfHold,
  findProvenPayment,
  findProvenTransfer,
  isGenuine,
  type StoredTransfer,
  transferColumns,
} from './stored-transfers.ts'
export { deleteTraces, selectCauses } from './traced-payments.ts'
export {
  countedPaise,
  counterpartyOf,
  countsAgainstLimits,
  newestOut,
  payeeOfTransfer,
  postedIds,
  refundedOf,
  returnedOf,
  TRANSFER_KINDS,
  type Transfer,
  type TransferKind,
  transferMacText,
} from './transfers.ts'
