import { momentOf } from '../../kernel/ids.ts'
import { addFigures, type Figures, type Metrics } from '../../kernel/metrics.ts'
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

const FIGURES: Figures<Status> = {
  batua_webhook_pending: ({ pending }) => pending,
  batua_webhook_failed: ({ failed }) => failed,
  batua_webhook_backlog_events: ({ backlogEvents }) => backlogEvents,
  batua_webhook_oldest_pending_seconds: ({ oldestId, now }) =>
    oldestId === null ? 0 : Math.max(0, (now.getTime() - momentOf(oldestId).getTime()) / 1_000),
  batua_webhook_queue_rows: ({ queueRows }) => queueRows,
}
