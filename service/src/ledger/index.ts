/** The book and its posting engine: the only writer of balances. */
export { type Account, isSystemAccount, lockAccounts, openAccount, SYSTEM } from './accounts.ts'
export { type Book, type Need, need, type Posting, type Sink, type Source } from './book.ts'
export { type Command, type Ledger, type LedgerOptions, openLedger } from './engine.ts'
export { checkBook, type BookReport } from './integrity.ts'
export { rollingNeed, sharpenRolling } from './rolling-window.ts'
export { type RollingWindow, rollingSpent, type Spending, WINDOW_MS } from './spending.ts'
export {
  LIMITED_KINDS,
  sealedText,
  type Transfer,
  TRANSFER_KINDS,
  type TransferKind,
} from './transfers.ts'
