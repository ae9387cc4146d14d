/** The book and its posting engine: the only writer of balances. */
export {
  type Account,
  isSystemAccount,
  lockAccounts,
  lockForChange,
  openAccount,
  SYSTEM,
} from './accounts.ts'
export {
  type Book,
  keyAt,
  type Need,
  need,
  type Posting,
  type Reader,
  reader,
  readerById,
  readOne,
  type Sink,
} from './book.ts'
export type { Command } from './command.ts'
export { type Ledger, type LedgerOptions, openLedger } from './engine.ts'
export { type Fold, foldTransfers, idBehind, pauseFolding, readFoldedBefore } from './fold.ts'
export { type BookReport, checkBook, type Holdings } from './integrity.ts'
export { addRelease, type ReleaseBounds, releasesSink } from './releases.ts'
export { rollingNeed, sharpenRolling } from './rolling-window.ts'
export {
  type FoundTransfer,
  findEndOfHold,
  findSealed,
  isGenuine,
  type SealedTransfer,
  sealedColumns,
} from './sealed-transfers.ts'
export { type RollingWindow, rollingSpent, type Spending, WINDOW_MS } from './spending.ts'
export {
  counterpartyOf,
  countsAgainstLimits,
  refundedOf,
  sealedText,
  TRANSFER_KINDS,
  type Transfer,
  type TransferKind,
} from './transfers.ts'
