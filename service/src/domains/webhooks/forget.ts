import { DAY_MS, HOUR_MS } from '../../kernel/clock.ts'
import { firstUuidAt } from '../../kernel/ids.ts'
import type { Job } from '../../operations/jobs.ts'
import type { WebhooksContext } from './context.ts'
import { deleteBacklog, deleteDeliveries } from './forget-store.ts'

const KEPT_MS = 30 * DAY_MS
const FORGETTING_MS = HOUR_MS
const DELIVERIES_AT_ONCE = 1_000
const CHUNKS_AT_ONCE = 100

/**
 * Deletes deliveries 30 days after their events. A waiting event is kept, however far the test clock was moved, unless
 * its receiver has been gone for as long.
 */
export function webhookJobs({ database }: Pick<WebhooksContext, 'database'>): Job[] {
  return [
    {
      name: 'old webhook deliveries',
      everyMs: FORGETTING_MS,
      async run(now) {
        const goneBefore = new Date(now.getTime() - KEPT_MS)
        const old = { before: firstUuidAt(goneBefore), goneBefore }
        const deliveries = await deleteDeliveries(database, { ...old, limit: DELIVERIES_AT_ONCE })
        return deliveries + (await deleteBacklog(database, { ...old, limit: CHUNKS_AT_ONCE }))
      },
    },
  ]
}
