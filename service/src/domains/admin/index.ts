/** Admin: the overview, accounts of owners, and containment in bulk. */
export { adminJobs } from './jobs.ts'
export { serveAdmin } from './routes.ts'
