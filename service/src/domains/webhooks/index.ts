/** Webhooks: events to platforms, signed, at least once. */
export { openDeliverer } from './delivering/deliverer.ts'
export { wakeEndpoint } from './delivering/endpoint-store.ts'
export { countFailedDeliveries } from './delivery-store.ts'
export { webhookJobs } from './forget.ts'
export { type LiveUpdates, openLiveUpdates } from './live/live-updates.ts'
export { serveLiveUpdates } from './live/routes.ts'
export { addWebhookMetrics } from './metrics.ts'
export { serveWebhooks } from './routes.ts'
