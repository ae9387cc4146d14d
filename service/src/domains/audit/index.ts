/** The audit log: its tree, its proofs and its check. */
export { checkLogAtOnce, readLogCheck, readLogCheckRound } from './check-log.ts'
export { type CoveringCheckpoint, openCoveringCheckpoint } from './covering-checkpoint.ts'
export { resignCheckpoint } from './integrate.ts'
export { auditJobs } from './jobs.ts'
export { countEntries, type KeptCheckpoint, openKeptCheckpoint } from './kept-checkpoint.ts'
export {
  type LostEntry,
  listEntriesBeyond,
  type Named,
  readLastChange,
  selectUnrecorded,
} from './lost-entries.ts'
export { addAuditMetrics } from './metrics.ts'
export { serveAudit } from './routes.ts'
