/** Webhooks: platforms are told what happened, signed and at least once. */
export type { WebhooksContext } from './context.ts'
export { type Deliverer, type DelivererOptions, openDeliverer } from './delivering/deliverer.ts'
export { wakeEndpoint } from './delivering/endpoint-store.ts'
export { countFailedDeliveries } from './delivery-store.ts'
export { webhookJobs } from './forget.ts'
export { addWebhookMetrics } from './metrics.ts'
export { serveWebhooks } from './routes.ts'
