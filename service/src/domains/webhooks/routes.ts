import { type listWebhookDeliveries, type QueryOf, type ResponseOf, routes } from '@batua/contract'
import type { PlatformCaller } from '../../http/caller.ts'
import { page, pageOf } from '../../http/paging.ts'
import type { Serve } from '../../http/serve.ts'
import { readWebhookTarget } from '../parties/index.ts'
import { openAttemptSlots } from './attempt-slots.ts'
import type { WebhooksContext } from './context.ts'
import { countDeliveries, selectDeliveries } from './delivery-list-store.ts'
import { deliveryRecord } from './delivery-record.ts'
import { findEvents } from './events/list-events.ts'
import { readFailedDeliveries } from './failed-deliveries.ts'
import { readDelivery } from './read-delivery.ts'
import { retryDelivery } from './retry.ts'
import type { RequestedAttempts } from './send-now.ts'
import { testWebhook } from './test-webhook.ts'

export function serveWebhooks(serve: Serve, context: Omit<RequestedAttempts, 'slots'>): void {
  const requested = { ...context, slots: openAttemptSlots() }

  serve(routes.listWebhookDeliveries, ({ caller, query }) => listDeliveries(context, caller, query))

  serve(routes.getWebhookDelivery, ({ caller, params }) => readDelivery(context, caller, params.delivery_id))

  serve(routes.listEvents, ({ caller, query }) => findEvents(context, caller, query))
  serve(routes.listFailedDeliveries, ({ query }) => readFailedDeliveries(context, query))

  serve(routes.retryWebhookDelivery, ({ caller, params }) =>
    retryDelivery(requested, caller, params.delivery_id),
  )

  serve(routes.testWebhook, ({ caller }) => testWebhook(requested, caller))
}

/** The deliveries of a platform's events, newest first. */
export async function listDeliveries(
  { database, vault, clock }: WebhooksContext,
  { platformId }: PlatformCaller,
  query: QueryOf<typeof listWebhookDeliveries>,
): Promise<ResponseOf<typeof listWebhookDeliveries>> {
  const request = pageOf(query)
  const filter = { status: query.status ?? null, event: query.event ?? null }
  const [deliveries, total, target] = await Promise.all([
    selectDeliveries(database, platformId, filter, request),
    countDeliveries(database, platformId, filter),
    readWebhookTarget(database, vault, platformId, clock.now()),
  ])
  const url = target?.url ?? null
  return page('deliveries', deliveries, delivery => deliveryRecord(delivery, url), total, request)
}
