/** Unused balances go to their owners' banks when they are two business days old. */
export type { SettlementContext } from './context.ts'
export { settlementJobs } from './jobs.ts'
export { serveSettlement } from './routes.ts'
