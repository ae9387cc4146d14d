/** The audit log: its tree, its proofs and its check. */
export { readLogCheck } from './check-log-store.ts'
export { auditJobs } from './jobs.ts'
export { addAuditMetrics } from './metrics.ts'
export { resignCheckpoint } from './resign-checkpoint.ts'
export { serveAudit } from './routes.ts'
