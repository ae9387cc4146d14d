/** Admin: the overview, accounts of owners, and containment in bulk. */
export { adminJobs } from './jobs.ts'
export { createPaymentMeter } from './payment-hours.ts'
export { serveAdmin } from './routes.ts'
