/** What a wallet holds. Funding it is the funding module's, paying from it the payments module's. */
export { readBalance } from './read-balance.ts'
export { serveWallets, type WalletsContext } from './routes.ts'
