import { routes } from '@batua/contract'
import type { Serve } from '../../http/serve.ts'
import { openAttemptSlots } from './attempt-slots.ts'
import { listDeliveries } from './list-deliveries.ts'
import { retryDelivery } from './retry.ts'
import type { RequestedAttempts } from './send-now.ts'
import { testWebhook } from './test-webhook.ts'

export function serveWebhooks(serve: Serve, context: Omit<RequestedAttempts, 'slots'>): void {
  const requested = { ...context, slots: openAttemptSlots() }

  serve(routes.listWebhookDeliveries, ({ caller, query }) => listDeliveries(context, caller, query))

  serve(routes.retryWebhookDelivery, ({ caller, params }) =>
    retryDelivery(requested, caller, params.delivery_id),
  )

  serve(routes.testWebhook, ({ caller }) => testWebhook(requested, caller))
}
