import { DAY_MS } from '../../../kernel/clock.ts'
import type { Job } from '../../../operations/jobs.ts'
import type { GatewayWebhooksContext } from './handle-webhook.ts'
import { deleteWebhooksBefore } from './store.ts'

const CLEANUP_EVERY_MS = 60 * 60_000
/** Gateways repeat their webhooks for hours; a month is for people who ask what was sent. */
const WEBHOOKS_KEPT_MS = 30 * DAY_MS

export function gatewayWebhookJobs({ database }: Pick<GatewayWebhooksContext, 'database'>): Job[] {
  return [
    {
      name: 'gateway notices',
      everyMs: CLEANUP_EVERY_MS,
      run: now => deleteWebhooksBefore(database, new Date(now.getTime() - WEBHOOKS_KEPT_MS)),
    },
  ]
}
