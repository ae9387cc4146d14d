/** The unending check of the book (docs/decisions/0023-integrity.md). */
export type { IntegrityContext } from './context.ts'
export { integrityJobs } from './jobs.ts'
export { addIntegrityMetrics } from './metrics.ts'
export { type BookCheck, type KeptSums, readBookCheck, readBookSums } from './store.ts'
