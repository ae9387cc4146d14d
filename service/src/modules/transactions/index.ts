/** What moved a wallet's money, and whether a payment is what its payee expects. */
export type { TransactionsContext } from './context.ts'
export { readStatementOf } from './read-statement.ts'
export { serveTransactions } from './routes.ts'
