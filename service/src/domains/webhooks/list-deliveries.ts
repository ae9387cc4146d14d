import type { listWebhookDeliveries, QueryOf, ResponseOf } from '@batua/contract'
import type { PlatformCaller } from '../../http/caller.ts'
import { page, pageOf } from '../../http/paging.ts'
import { readWebhookTarget } from '../parties/index.ts'
import type { WebhooksContext } from './context.ts'
import { countDeliveries, selectDeliveries } from './delivery-list-store.ts'
import { deliveryRecord } from './delivery-record.ts'

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
