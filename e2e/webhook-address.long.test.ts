import { setTimeout as delay } from 'node:timers/promises'
import { routes } from '@batua/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HANG, OK, respond } from './src/webhook-behaviour.ts'
import { openWebhookStage, until, type WebhookStage } from './src/webhook-stage.ts'

const HOUR_S = 3_600
/** Long enough for an unwanted webhook to arrive. */
const A_WHILE_MS = 400
/** A clean stop does not wait for a receiver’s timeout. */
const STOPPED_WITHIN_MS = 12_000

let stage: WebhookStage

beforeAll(async () => {
  stage = await openWebhookStage()
})
afterAll(() => stage.close())

const platformOf = (id: string, headers: Readonly<Record<string, string>>) =>
  stage.api.ok(routes.getPlatform, { headers, params: { platform_id: id } })

test('after a 410 the delivery has failed and nothing is sent, and later events arrive once webhook_url is set again', async () => {
  const { happen, received, list, deliveryOf, setUrl, receiver, platform } = await stage.listener()
  receiver.behave(respond(410))
  await happen()
  const gone = await deliveryOf({ status: 'failed', response_status: 410, attempts: 1 })
  await until(async () => (await platformOf(platform.id, platform.headers)).webhook_disabled_at !== null)
  receiver.behave(OK)
  await happen()
  await happen()
  await stage.advance(HOUR_S)
  await delay(A_WHILE_MS)
  expect(receiver.hits()).toBe(1)

  await setUrl(receiver.url)
  await until(async () => (await list({ status: 'delivered' })).pagination.total === 2)
  expect(received().map(({ id, accepted }) => [id === gone.event_id, accepted])).toEqual([
    [true, 0],
    [false, 1],
    [false, 1],
  ])
  expect((await platformOf(platform.id, platform.headers)).webhook_disabled_at).toBeNull()
  expect(receiver.faults).toEqual([])
})

test('waiting events go to the new address at once if webhook_url is changed', async () => {
  const { happen, received, deliveryOf, setUrl, receiver, platform } = await stage.listener()
  const { receiver: next } = await stage.listener()
  next.trust(platform.webhookSecret)
  receiver.behave(respond(500))
  await happen()
  const first = await deliveryOf({ status: 'pending', attempts: 1 })
  await stage.advanceTo(first.next_attempt_at)
  // By its schedule the next attempt would be minutes later.
  const { event_id, url } = await deliveryOf({ status: 'pending', attempts: 2 })
  expect(url).toBe(receiver.url)
  await setUrl(next.url)
  await deliveryOf({ status: 'delivered', attempts: 3, url: next.url })
  expect(receiver.hits()).toBe(2)
  expect([...next.received.values()]).toMatchObject([
    { id: event_id, accepted: 1, body: received()[0]?.body },
  ])
})

test('a 410 from an address that was replaced meanwhile disables nothing', async () => {
  const { happen, list, setUrl, receiver, platform } = await stage.listener()
  const { receiver: next } = await stage.listener()
  next.trust(platform.webhookSecret)
  receiver.behave({ kind: 'respond', status: 410, afterMs: A_WHILE_MS })
  await happen()
  await until(() => receiver.hits() === 1)
  await setUrl(next.url)
  await until(async () => (await list({ status: 'failed' })).pagination.total === 1)
  await happen()
  await until(() => next.received.size === 1)
  expect((await platformOf(platform.id, platform.headers)).webhook_disabled_at).toBeNull()
})

test('waiting events fail if webhook_url is removed, and a platform without one never gets later events', async () => {
  const { happen, bodies, deliveryOf, list, setUrl, receiver } = await stage.listener()
  receiver.behave(respond(500))
  await happen()
  const { next_attempt_at } = await deliveryOf({ status: 'pending', attempts: 1 })
  await stage.advanceTo(next_attempt_at)
  await deliveryOf({ status: 'pending', attempts: 2 })
  await setUrl(null)
  const failed = await deliveryOf({ status: 'failed' })
  expect(failed).toMatchObject({ next_attempt_at: null, last_error: expect.any(String) })
  receiver.behave(OK)
  await happen()
  await stage.advance(HOUR_S)
  await setUrl(receiver.url)
  await stage.advance(HOUR_S)
  await happen()
  await until(() => bodies().length === 2)
  expect(bodies().map(({ id, data }) => [id === failed.event_id, data['status']])).toEqual([
    [true, 'paused'],
    [false, 'paused'],
  ])
  expect((await list()).pagination.total).toBe(2)
})

test('events from before a platform has a webhook_url are never delivered', async () => {
  const { happen, bodies, list, setUrl, receiver } = await stage.listener(false)
  await happen()
  await stage.advance(1)
  await setUrl(receiver.url)
  await stage.advance(HOUR_S)
  await happen()
  await until(() => bodies().length > 0)
  expect(bodies().map(({ data }) => data['status'])).toEqual(['active'])
  expect((await list()).pagination.total).toBe(1)
})

test('a test webhook returns the delivery after its first attempt, and is refused without a webhook_url', async () => {
  const { bodies, platform, list, setUrl, receiver } = await stage.listener()
  const { headers } = platform
  const call = () => stage.api.ok(routes.testWebhook, { headers })
  const delivered = await call()
  expect(delivered).toMatchObject({
    event: 'webhook.test',
    status: 'delivered',
    attempts: 1,
    response_status: 200,
    url: receiver.url,
  })
  expect(bodies()).toMatchObject([{ id: delivered.event_id, data: { platform_id: platform.id } }])
  receiver.behave(respond(500))
  const failed = await call()
  expect(failed).toMatchObject({ status: 'pending', attempts: 1, response_status: 500 })
  receiver.behave(OK)
  await stage.advanceTo(failed.next_attempt_at)
  await until(() => receiver.received.get(failed.event_id)?.accepted === 1)
  await setUrl(null)
  await stage.api.refused(routes.testWebhook, 409, 'conflict', { headers })
  expect(receiver.faults).toEqual([])
  expect((await list({ event: 'webhook.test' })).pagination.total).toBe(2)
})

test('a failed delivery is sent again on request, and stays delivered afterwards', async () => {
  const { happen, received, platform, deliveryOf, setUrl, receiver } = await stage.listener()
  receiver.behave(respond(410))
  await happen()
  const { delivery_id } = await deliveryOf({ status: 'failed' })
  await setUrl(receiver.url)
  const retry = () =>
    stage.api.ok(routes.retryWebhookDelivery, { headers: platform.headers, params: { delivery_id } })
  receiver.behave(respond(500))
  expect(await retry()).toMatchObject({ status: 'failed', attempts: 2, response_status: 500 })
  receiver.behave(OK)
  expect(await retry()).toMatchObject({
    status: 'delivered',
    attempts: 3,
    response_status: 200,
    last_error: null,
  })
  receiver.behave(respond(500))
  expect(await retry()).toMatchObject({ status: 'delivered', attempts: 4 })
  expect(received()).toMatchObject([{ accepted: 1, arrivals: { length: 4 } }])
  expect(receiver.faults).toEqual([])
})

test('deliveries are listed by status and by event, newest first', async () => {
  const { happen, platform, list, receiver } = await stage.listener()
  const { headers } = platform
  await happen()
  await until(async () => (await list({ status: 'delivered' })).pagination.total === 1)
  receiver.behave(respond(500))
  await stage.api.ok(routes.testWebhook, { headers })
  const kinds = async (query: Record<string, string>) =>
    (await list(query)).deliveries.map(({ event, status }) => [event, status])
  const [tested, changed] = [
    ['webhook.test', 'pending'],
    ['agent.status.changed', 'delivered'],
  ]
  expect(await kinds({})).toEqual([tested, changed])
  expect(await kinds({ status: 'pending' })).toEqual([tested])
  expect(await kinds({ status: 'delivered' })).toEqual([changed])
  expect(await kinds({ status: 'failed' })).toEqual([])
  expect(await kinds({ event: 'agent.status.changed' })).toEqual([changed])
  expect(await kinds({ event: 'agent.status.changed', status: 'pending' })).toEqual([])
  await stage.api.refused(routes.listWebhookDeliveries, 400, 'validation_error', {
    headers,
    query: { status: 'lost' },
  })
})

test('a clean stop does not wait for a hanging receiver, and its event arrives after the restart', async () => {
  const { happen, received, receiver } = await stage.listener()
  receiver.behave(HANG)
  await happen()
  await until(() => received().length === 1)
  const start = Date.now()
  expect(await stage.service.stop()).toBe(0)
  expect(Date.now() - start).toBeLessThan(STOPPED_WITHIN_MS)
  receiver.behave(OK)
  await stage.service.start()
  await until(() => received()[0]?.accepted === 1)
  expect(receiver.faults).toEqual([])
})
