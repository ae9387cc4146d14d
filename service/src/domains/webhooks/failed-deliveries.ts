import type { FailedDelivery, listFailedDeliveries, QueryOf, ResponseOf } from '@batua/contract'
import type { Queryable } from '../../db/database.ts'
import { type PageRequest, page, pageOf } from '../../http/paging.ts'
import { formatId, parseId, type Uuid } from '../../kernel/ids.ts'
import type { WebhooksContext } from './context.ts'
import { type Delivery, deliveryRecord } from './delivery-record.ts'
import { DELIVERY_COLUMNS } from './delivery-store.ts'

interface OfPlatform extends Delivery {
  readonly platformId: Uuid
  readonly platformName: string
}

/** The deliveries of all platforms, or of one, for which every attempt failed, newest first. */
export async function readFailedDeliveries(
  { database }: Pick<WebhooksContext, 'database'>,
  query: QueryOf<typeof listFailedDeliveries>,
): Promise<ResponseOf<typeof listFailedDeliveries>> {
  const request = pageOf(query)
  const platformId = query.platform_id === undefined ? null : parseId('plt', query.platform_id)
  const [deliveries, total] = await Promise.all([
    selectFailed(database, platformId, request),
    countFailed(database, platformId),
  ])
  return page('deliveries', deliveries, failedDelivery, total, request)
}

function failedDelivery(delivery: OfPlatform): FailedDelivery {
  return {
    ...deliveryRecord(delivery, null),
    platform_id: formatId('plt', delivery.platformId),
    platform_name: delivery.platformName,
  }
}

/** The condition is part of the text, so that the index of failed rows, or that of a platform's, can be used. */
function failedOf(platformId: Uuid | null): string {
  const ofPlatform = platformId === null ? '$1::uuid is null' : 'd.platform_id = $1::uuid'
  return `webhook_deliveries d join platforms p on p.id = d.platform_id where d.status = 'failed' and ${ofPlatform}`
}

function selectFailed(
  db: Queryable,
  platformId: Uuid | null,
  { before, fetch, offset }: PageRequest,
): Promise<OfPlatform[]> {
  return db.query<OfPlatform>(
    `select ${DELIVERY_COLUMNS}, d.platform_id as "platformId", p.name as "platformName"
     from ${failedOf(platformId)} and ($2::uuid is null or d.id < $2)
     order by d.id desc limit $3 offset $4`,
    [platformId, before, fetch, offset],
  )
}

async function countFailed(db: Queryable, platformId: Uuid | null): Promise<bigint> {
  const [row] = await db.query<{ count: bigint }>(`select count(*) as count from ${failedOf(platformId)}`, [
    platformId,
  ])
  return row?.count ?? 0n
}
