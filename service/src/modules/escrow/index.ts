/** Money that waits: held, then released or refunded. */
export { executeHold } from './approve.ts'
export { type EscrowContext, serveEscrow } from './routes.ts'
export { completeEscrows, countHeldOfPlatform, ESCROW_ROWS, sumHeld } from './store.ts'
export { escrowJobs, type TimeoutContext } from './timeouts.ts'
