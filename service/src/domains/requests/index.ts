/** The log of a platform's requests: collected in memory, written in batches, kept for three days. */
export { openRequestLog, type RequestLog } from './collect.ts'
export { requestLogJobs } from './jobs.ts'
export { serveRequestLog } from './routes.ts'
