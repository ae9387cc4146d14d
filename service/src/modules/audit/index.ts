/** The audit log: every act an entry, every entry a leaf of one signed Merkle tree. */
export {
  type Act,
  type Actor,
  actorOf,
  agentActor,
  type Facts,
  type Recording,
  service,
} from './act.ts'
export { readLogCheck } from './check-log-store.ts'
export { openCheckpoint, originOf, parseCheckpoint, type TreeHead } from './checkpoint.ts'
export type { AuditContext } from './context.ts'
export { leafHash } from './entry.ts'
export { auditJobs } from './jobs.ts'
export { addAuditMetrics } from './metrics.ts'
export { loggedOutcomes } from './outcomes.ts'
export { record, recordActs, recordPayment } from './record.ts'
export { resignCheckpoint } from './resign-checkpoint.ts'
export { serveAudit } from './routes.ts'
export { verifyConsistency, verifyInclusion } from './verify-proof.ts'
