import { momentOf } from '../../kernel/ids.ts'
import { addFigures, type Figure, type Metrics } from '../../kernel/metrics.ts'
import type { WebhooksContext } from './context.ts'
import { selectFigures, type WebhookFigures } from './figures-store.ts'

/** Metrics of waiting, failed and overdue webhooks. */
export function addWebhookMetrics(
  metrics: Metrics,
  { database, clock }: Pick<WebhooksContext, 'database' | 'clock'>,
): void {
  addFigures(metrics, FIGURES, async () => ({ ...(await selectFigures(database)), now: clock.now() }))
}

interface Status extends WebhookFigures {
  readonly now: Date
}

const FIGURES: readonly Figure<Status>[] = [
  {
    name: 'webhook_pending',
    help: 'Deliveries that wait for an attempt or a retry',
    value: ({ pending }) => pending,
  },
  {
    name: 'webhook_failed',
    help: 'Deliveries of the last 30 days that failed for good',
    value: ({ failed }) => failed,
  },
  {
    name: 'webhook_backlog_events',
    help: 'Events of payments that wait for their first attempt',
    value: ({ backlogEvents }) => backlogEvents,
  },
  {
    name: 'webhook_oldest_pending_seconds',
    help: 'Age of the oldest event not delivered yet to a receiver that is not gone; 0 when there is none',
    value: ({ oldestId, now }) =>
      oldestId === null ? 0 : Math.max(0, (now.getTime() - momentOf(oldestId).getTime()) / 1_000),
  },
  {
    name: 'webhook_queue_rows',
    help: 'Queued commits of payments and other events that are not fanned out to platforms yet',
    value: ({ queueRows }) => queueRows,
  },
]
