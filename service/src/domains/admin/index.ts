/** What administrators see and stop. */
export { adminJobs } from './jobs.ts'
export { serveAdmin } from './routes.ts'
