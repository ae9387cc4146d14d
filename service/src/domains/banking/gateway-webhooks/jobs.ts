import { DAY_MS } from '../../../kernel/clock.ts'
import type { Job } from '../../../operations/jobs.ts'
import type { NoticesContext } from './handle-webhook.ts'
import { deleteNoticesBefore } from './store.ts'

const CLEARING_MS = 60 * 60_000
/** Gateways repeat their notices for hours; a month is for people who ask what was said. */
const NOTICES_KEPT_MS = 30 * DAY_MS

export function gatewayWebhookJobs({ database }: Pick<NoticesContext, 'database'>): Job[] {
  return [
    {
      name: 'gateway notices',
      everyMs: CLEARING_MS,
      run: now => deleteNoticesBefore(database, new Date(now.getTime() - NOTICES_KEPT_MS)),
    },
  ]
}
