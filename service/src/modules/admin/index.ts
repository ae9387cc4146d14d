export type { AdminContext, LastReconciliation } from './context.ts'
export { adminJobs } from './jobs.ts'
export { serveAdmin } from './routes.ts'
