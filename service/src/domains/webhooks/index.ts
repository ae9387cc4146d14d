/** Webhooks: events to platforms, signed, at least once. */

export type { AttemptResult } from './delivering/attempt.ts'
export { wakeEndpoint } from './delivering/endpoint-store.ts'
export { openSender, type Sender } from './delivering/send.ts'
export { countFailedDeliveries } from './delivery-store.ts'
export { isGenuineEvent, type RecordedEvent } from './events/read-events.ts'
export { webhookJobs } from './forget.ts'
export { type LiveUpdates, openLiveUpdates } from './live/live-updates.ts'
export { serveLiveUpdates } from './live/routes.ts'
export { openSubjects } from './live/subjects.ts'
export { addWebhookMetrics } from './metrics.ts'
export { serveWebhooks } from './routes.ts'
