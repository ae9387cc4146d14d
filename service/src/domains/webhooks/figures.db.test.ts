import { beforeEach, describe, expect } from 'vitest'
import { DAY_MS } from '../../kernel/clock.ts'
import { newUuid, type Uuid } from '../../kernel/ids.ts'
import { createMetrics } from '../../kernel/metrics.ts'
import { database, test } from '../../testing/database-test.ts'
import { type ManualClock, manualClock } from '../../testing/manual-clock.ts'
import { networkContext, newPlatform } from '../../testing/network.ts'
import { insertBacklog } from './delivering/backlog-store.ts'
import { scheduleWork } from './delivering/endpoint-store.ts'
import { countFailedDeliveries } from './delivery-store.ts'
import { webhookJobs } from './forget.ts'
import { addWebhookMetrics } from './metrics.ts'

const NOON = new Date('2026-11-20T06:30:00.000Z')

let clock: ManualClock
let platformId: Uuid

beforeEach(async () => {
  clock = manualClock(NOON)
  for (const table of ['webhook_deliveries', 'webhook_backlog', 'webhook_endpoints']) {
    await database.query(`delete from ${table}`)
  }
  platformId = await newTestPlatform()
})

async function newTestPlatform(): Promise<Uuid> {
  const { platform } = await newPlatform(networkContext(database, clock))
  await scheduleWork(database, [platform.id], clock.now())
  return platform.id
}

const secondsAgo = (seconds: number) => newUuid(new Date(NOON.getTime() - seconds * 1_000))
const daysAgo = (days: number) => newUuid(new Date(NOON.getTime() - days * DAY_MS))

async function deliver(status: string, id: Uuid, of = platformId): Promise<Uuid> {
  await database.query(
    `insert into webhook_deliveries (platform_id, id, event, status) values ($1, $2, 'agent.funded', $3)`,
    [of, id, status],
  )
  return id
}
const wait = (...ids: Uuid[]) => insertBacklog(database, new Map([[platformId, ids]]))

async function figures(): Promise<Record<string, number>> {
  const metrics = createMetrics()
  addWebhookMetrics(metrics, { database, clock })
  const shown = (await metrics.getMetricsAsJSON()).filter(({ name }) => name.startsWith('batua_webhook_'))
  return Object.fromEntries(shown.map(({ name, values }) => [name, values[0]?.value ?? Number.NaN]))
}

describe('the metrics of webhooks', () => {
  test('are zero while no event waits', async () => {
    await deliver('delivered', secondsAgo(500))
    expect(await figures()).toEqual({
      batua_webhook_pending: 0,
      batua_webhook_failed: 0,
      batua_webhook_backlog_events: 0,
      batua_webhook_oldest_pending_seconds: 0,
      batua_webhook_queue_rows: 0,
    })
  })

  test('count waiting, failed and queued events, and show the age of the oldest', async () => {
    await deliver('pending', secondsAgo(50))
    await deliver('failed', secondsAgo(500))
    await wait(secondsAgo(70), secondsAgo(60))
    const queued = newUuid(clock.now())
    await database.query(
      `insert into payment_events (id, payments, platforms, payer_platforms, payee_platforms)
       values ($1, array[$1::uuid], array[$1::uuid], '{0}', '{0}')`,
      [queued],
    )
    await database.query(
      `insert into events (id, platform_id, name, data, created_at, queued) values ($1, $2, 'webhook.test', '{}', now(), true)`,
      [queued, platformId],
    )
    expect(await figures()).toEqual({
      batua_webhook_pending: 1,
      batua_webhook_failed: 1,
      batua_webhook_backlog_events: 2,
      batua_webhook_oldest_pending_seconds: 70,
      batua_webhook_queue_rows: 2,
    })
    expect(await countFailedDeliveries(database)).toBe(1)
  })

  test('do not include events for a receiver that is gone in the oldest age', async () => {
    const gone = await newTestPlatform()
    await database.query(`update platforms set webhook_disabled_at = now() where id = $1`, [gone])
    await deliver('pending', secondsAgo(900), gone)
    await deliver('pending', secondsAgo(30))
    expect(await figures()).toMatchObject({
      batua_webhook_pending: 2,
      batua_webhook_oldest_pending_seconds: 30,
    })
  })
})

describe('the cleanup after 30 days', () => {
  async function forget(): Promise<number> {
    const [job] = webhookJobs({ database })
    return (await job?.run(NOON)) ?? -1
  }
  const ids = async (table: string) =>
    (await database.query<{ id: Uuid }>(`select id from ${table} order by id`)).map(({ id }) => id)

  test('deletes deliveries that are not pending', async () => {
    await deliver('delivered', daysAgo(31))
    await deliver('failed', daysAgo(40), await newTestPlatform())
    const kept = [await deliver('pending', daysAgo(50)), await deliver('delivered', daysAgo(29))]
    expect(await forget()).toBe(2)
    expect(await ids('webhook_deliveries')).toEqual(kept.toSorted())
    expect(await forget()).toBe(0)
  })

  test('deletes waiting events only if their receiver has been gone for 30 days, and never newer events', async () => {
    const gone = (days: number) =>
      database.query(`update platforms set webhook_disabled_at = $2 where id = $1`, [
        platformId,
        new Date(NOON.getTime() - days * DAY_MS),
      ])
    const kept = daysAgo(31)
    await wait(daysAgo(33), daysAgo(32))
    await wait(kept, daysAgo(29))
    await deliver('pending', daysAgo(34))
    expect(await forget()).toBe(0)
    await gone(29)
    expect(await forget()).toBe(0)
    await gone(31)
    expect(await forget()).toBe(2)
    expect(await ids('webhook_backlog')).toEqual([kept])
    expect(await ids('webhook_deliveries')).toEqual([])
    expect(await forget()).toBe(0)
  })

  test('deletes a bounded number of rows at a time, of all platforms, until none is left', async () => {
    const others = await newTestPlatform()
    for (const of of [platformId, others]) {
      await database.query(
        `insert into webhook_deliveries (platform_id, id, event, status)
         select $1, gen_random_uuid(), 'agent.funded', 'delivered' from generate_series(1, 700)`,
        [of],
      )
    }
    // Random ids sort anywhere: those before the bound are the ones of long ago.
    await database.query(
      `update webhook_deliveries set id = overlay(id::text placing '0001' from 1 for 4)::uuid`,
    )
    expect([await forget(), await forget(), await forget()]).toEqual([1_000, 400, 0])
  })
})
