/** Money that waits: held, then released or refunded. */
export { executeHold } from './hold.ts'
export { type EscrowContext, serveEscrow } from './routes.ts'
export { countHeldOfPlatform, escrows, sumHeld } from './store.ts'
export { escrowJobs, type TimeoutContext } from './timeouts.ts'
