/** Risk: rules, alerts and scores, off the payment path. */
export { countOpenAlerts } from './alerts/store.ts'
export { riskJobs } from './jobs.ts'
export { serveRisk } from './routes.ts'
export { createSignalRecorder, isPolicyRefusal, type RiskSignals } from './signals.ts'
