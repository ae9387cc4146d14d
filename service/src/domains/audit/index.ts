/** The audit log: its tree, its proofs and its check. */
export { readLogCheck, readLogCheckRound } from './check-log.ts'
export { type CoveringCheckpoint, openCoveringCheckpoint } from './covering-checkpoint.ts'
export { resignCheckpoint } from './integrate.ts'
export { auditJobs } from './jobs.ts'
export { addAuditMetrics } from './metrics.ts'
export { serveAudit } from './routes.ts'
