import type { ServerResponse } from 'node:http'
import { type EventName, routes, type WebhookDelivery } from '@batua/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { parseId } from '../../kernel/ids.ts'
import type { DeliveryOutcome } from './delivering/attempt.ts'
import { selectDue, writeAttempts } from './delivering/outcome-store.ts'
import { type Receiver, startReceiver } from './testing/receiver.ts'
import {
  openRequestsStage,
  type RequestsStage,
  refusalIn,
  retryPath,
  type TestPlatform,
} from './testing/requests-stage.ts'

let stage: RequestsStage
let receiver: Receiver
let platform: TestPlatform
/** Requests to which the receiver has not responded yet. */
let open: ServerResponse[]

beforeAll(async () => {
  stage = await openRequestsStage()
})
afterAll(() => stage.close())

beforeEach(async () => {
  open = []
  receiver = await startReceiver(response => open.push(response))
  platform = await stage.newPlatform(receiver.origin)
})

const waitForRequests = (count: number) =>
  vi.waitFor(() => expect(open.length).toBe(count), { interval: 5, timeout: 10_000 })
const respondToAll = (status: number) => {
  for (const response of open.splice(0)) response.writeHead(status).end()
}

/** A delivery whose first attempt got a response with this status. */
async function deliveryAfter(status: number): Promise<WebhookDelivery> {
  const tested = platform.test()
  await waitForRequests(1)
  respondToAll(status)
  return tested
}

async function deliverMeanwhile({ delivery_id }: WebhookDelivery, outcome: DeliveryOutcome): Promise<void> {
  const attempt = {
    id: parseId('whd', delivery_id) ?? '',
    event: 'webhook.test' as EventName,
    url: receiver.origin,
    endedAt: stage.clock.now(),
    outcome,
    timing: { startedAt: stage.clock.now(), signedAt: stage.clock.now(), durationMs: 5 },
  }
  await stage.db.database.inTransaction(tx => writeAttempts(tx, platform.id, [attempt]))
}

async function dueIn(ms: number): Promise<number> {
  const now = new Date(stage.clock.now().getTime() + ms)
  return (await selectDue(stage.db.database, platform.id, { now, but: [], limit: 10 })).length
}

describe('while a requested attempt runs', () => {
  test('the deliverer does not retry the delivery, unless no outcome is written within a minute', async () => {
    const tested = platform.test()
    await waitForRequests(1)
    expect([await dueIn(50_000), await dueIn(61_000)]).toEqual([0, 1])
    respondToAll(200)
    expect((await tested).status).toBe('delivered')
    expect(await dueIn(61_000)).toBe(0)
  })

  test('the deliverer does not retry a due delivery, and a later due time stays as it is', async () => {
    const { delivery_id } = await deliveryAfter(500)
    expect(await dueIn(50_000)).toBe(1)
    const retried = platform.retry(delivery_id)
    await waitForRequests(1)
    expect([await dueIn(50_000), await dueIn(61_000)]).toEqual([0, 1])
    respondToAll(500)
    expect(await retried).toMatchObject({ status: 'pending', attempts: 2 })
    const again = platform.retry(delivery_id)
    await waitForRequests(1)
    expect([await dueIn(61_000), await dueIn(400_000)]).toEqual([0, 1])
    respondToAll(200)
    await again
  })

  test('a delivery that the deliverer delivers stays delivered, even if this attempt fails', async () => {
    const pending = await deliveryAfter(500)
    const retried = platform.retry(pending.delivery_id)
    await waitForRequests(1)
    await deliverMeanwhile(pending, { status: 'delivered', responseStatus: 200 })
    respondToAll(500)
    expect(await retried).toMatchObject({
      status: 'delivered',
      attempts: 3,
      next_attempt_at: null,
      delivered_at: expect.any(String),
    })
  })

  test('a delivery that the deliverer gives up becomes delivered if this attempt succeeds', async () => {
    const pending = await deliveryAfter(500)
    const retried = platform.retry(pending.delivery_id)
    await waitForRequests(1)
    await deliverMeanwhile(pending, { status: 'failed', responseStatus: 500, error: 'x', isGone: false })
    respondToAll(200)
    expect(await retried).toMatchObject({ status: 'delivered', attempts: 3, last_error: null })
  })

  test('a delivery that the deliverer gives up stays failed if this attempt fails too', async () => {
    const pending = await deliveryAfter(500)
    const retried = platform.retry(pending.delivery_id)
    await waitForRequests(1)
    await deliverMeanwhile(pending, { status: 'failed', responseStatus: 500, error: 'x', isGone: false })
    respondToAll(500)
    expect(await retried).toMatchObject({ status: 'failed', attempts: 3, next_attempt_at: null })
  })

  test('the platform can make a second attempt, which also counts, and a third is refused', async () => {
    const { delivery_id } = await deliveryAfter(500)
    const both = [platform.retry(delivery_id), platform.retry(delivery_id)]
    await waitForRequests(2)
    const third = await platform.ask('POST', retryPath(delivery_id))
    expect(refusalIn(third)).toEqual([429, 'rate_limit_exceeded'])
    expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0)
    const others = await stage.newPlatform(receiver.origin)
    const tested = others.test()
    await waitForRequests(3)
    respondToAll(200)
    expect((await Promise.all(both)).map(({ attempts }) => attempts).toSorted()).toEqual([2, 3])
    expect((await tested).status).toBe('delivered')
    const again = platform.retry(delivery_id)
    await waitForRequests(1)
    respondToAll(200)
    expect(await again).toMatchObject({ status: 'delivered', attempts: 4 })
  })

  test('sixteen platforms whose receivers do not respond do not keep another from testing', async () => {
    const silent = await Promise.all(Array.from({ length: 16 }, () => stage.newPlatform(receiver.origin)))
    const asked = silent.flatMap(each => [1, 2].map(() => each.ask('POST', routes.testWebhook.path)))
    await waitForRequests(32)
    const responding = await startReceiver()
    const other = await stage.newPlatform(responding.origin)
    expect(await other.test()).toMatchObject({ status: 'delivered' })
    respondToAll(200)
    expect(new Set((await Promise.all(asked)).map(({ status }) => status))).toEqual(new Set([200]))
  })

  test('no transaction of the database stays open', async () => {
    const tested = platform.test()
    await waitForRequests(1)
    const [{ count } = { count: -1n }] = await stage.db.database.query<{ count: bigint }>(
      `select count(*) as count from pg_stat_activity
       where datname = current_database() and state like 'idle in transaction%'`,
    )
    respondToAll(200)
    await tested
    expect(count).toBe(0n)
  })

  test('a 410 of the old receiver does not disable a webhook_url that was set meanwhile', async () => {
    const tested = platform.test()
    await waitForRequests(1)
    await platform.setUrl(`${receiver.origin}/v2`)
    respondToAll(410)
    expect(await tested).toMatchObject({ status: 'failed', url: receiver.origin })
    const next = platform.test()
    await waitForRequests(1)
    respondToAll(200)
    expect((await next).url).toBe(`${receiver.origin}/v2`)
  })
})

// The last test, because it stops the routes that the others use.
test('the service’s stop does not wait for a hanging receiver: the attempt is aborted and the deliverer retries it', async () => {
  const tested = platform.ask('POST', routes.testWebhook.path)
  await waitForRequests(1)
  stage.stopping.abort()
  expect(refusalIn(await tested)).toEqual([503, 'service_unavailable'])
  expect([await dueIn(50_000), await dueIn(61_000)]).toEqual([0, 1])
})
