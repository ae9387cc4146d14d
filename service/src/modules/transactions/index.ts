/** What moved a wallet's money. */
export type { TransactionsContext } from './context.ts'
export { selectMovementStatus } from './movement-store.ts'
export { readStatementOf } from './read-statement.ts'
export { serveTransactions } from './routes.ts'
