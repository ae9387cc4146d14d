/** Rules that look for misuse beside the payments, and what administrators make of their findings. */
export { countOpenAlerts } from './alerts-store.ts'
export type { RiskContext, RiskJobsContext } from './context.ts'
export { riskJobs } from './jobs.ts'
export { serveRisk } from './routes.ts'
export { createSignalRecorder, isPolicyRefusal, type RiskSignals, type SignalRecorder } from './signals.ts'
