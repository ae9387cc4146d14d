/** Allocations: money of an organization's treasury for its members, and what moved the wallets of all of them. */
export { serveAllocations } from './routes.ts'
