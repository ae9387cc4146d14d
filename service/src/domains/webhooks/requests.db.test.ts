import type { WebhookDelivery } from '@batua/contract'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { DAY_MS } from '../../kernel/clock.ts'
import { formatId, parseId } from '../../kernel/ids.ts'
import { factsIn, secretsInLog } from '../../testing/facts.ts'
import { type Receiver, startReceiver } from './testing/receiver.ts'
import {
  openRequestsStage,
  type RequestsStage,
  refusalIn,
  retryPath,
  type TestPlatform,
} from './testing/requests-stage.ts'

const TEST = '/v1/webhooks/test'

let stage: RequestsStage
let receiver: Receiver
let platform: TestPlatform
/** The status of the receiver's responses. */
let status: number

beforeAll(async () => {
  stage = await openRequestsStage()
})
afterAll(() => stage.close())

beforeEach(async () => {
  status = 204
  receiver = await startReceiver(response => response.writeHead(status).end())
  platform = await stage.newPlatform(`${receiver.origin}/hook?token=url-secret`)
})

const listed = async (query = '') =>
  (await platform.get<{ deliveries: WebhookDelivery[] }>(`/v1/webhooks/deliveries${query}`)).deliveries
const refused = async (path: string) => refusalIn(await platform.ask('POST', path))
const inMs = (timestamp: string | null) => Date.parse(timestamp ?? '') - stage.clock.now().getTime()

async function failedDelivery(): Promise<WebhookDelivery> {
  status = 500
  const { delivery_id } = await platform.test()
  await stage.db.database.query(`update webhook_deliveries set attempts = 9 where id = $1`, [
    parseId('whd', delivery_id),
  ])
  const failed = await platform.retry(delivery_id)
  expect(failed).toMatchObject({ status: 'failed', attempts: 10, next_attempt_at: null })
  return failed
}

describe('a test webhook', () => {
  test('is sent at once, signed and under its event’s id, and the route returns the delivery as the list shows it', async () => {
    const delivery = await platform.test()
    expect(delivery).toMatchObject({
      event: 'webhook.test',
      url: `${receiver.origin}/hook?token=url-secret`,
      status: 'delivered',
      attempts: 1,
      response_status: 204,
      last_error: null,
      next_attempt_at: null,
    })
    expect(receiver.requests.length).toBe(1)
    const { headers = {}, body = '' } = receiver.requests[0] ?? {}
    const verified = new Webhook(platform.webhookSecret).verify(body, headers as Record<string, string>)
    const data = { platform_id: formatId('plt', platform.id) }
    expect(verified).toMatchObject({ id: delivery.event_id, event: 'webhook.test', data })
    expect(headers['webhook-id']).toBe(delivery.event_id)
    expect(await listed()).toEqual([delivery])
  })

  test('is not fanned out again', async () => {
    const { event_id } = await platform.test()
    const rows = await stage.db.database.query(`select queued from events where id = $1`, [
      parseId('evt', event_id),
    ])
    expect(rows).toEqual([{ queued: false }])
  })

  test('that fails is retried by the deliverer on its schedule', async () => {
    status = 503
    const delivery = await platform.test()
    expect(delivery).toMatchObject({
      status: 'pending',
      attempts: 1,
      response_status: 503,
      last_error: 'The receiver responded with 503',
      delivered_at: null,
    })
    expect(inMs(delivery.next_attempt_at)).toBeLessThan(6_000)
    const [endpoint] = await stage.db.database.query(
      `select work_at from webhook_endpoints where platform_id = $1`,
      [platform.id],
    )
    expect(endpoint).toEqual({ work_at: new Date(delivery.next_attempt_at ?? '') })
  })

  test('is signed with the real time while the test clock is days ahead', async () => {
    stage.clock.setOffsetMs(3 * DAY_MS)
    const { created_at } = await platform.test()
    stage.clock.setOffsetMs(0)
    expect(inMs(created_at)).toBeGreaterThan(2 * DAY_MS)
    const { headers = {}, body = '' } = receiver.requests[0] ?? {}
    new Webhook(platform.webhookSecret).verify(body, headers as Record<string, string>)
  })

  test('and a retry record audit events of the platform, which contain only the host of the webhook_url', async () => {
    const { delivery_id } = await platform.test()
    await platform.retry(delivery_id)
    const webhook_host = new URL(receiver.origin).host
    const actor = { type: 'platform', id: formatId('plt', platform.id) }
    expect(await factsIn(stage.db.database, delivery_id)).toEqual([
      { agentId: null, actor, action: 'webhook.tested', target: delivery_id, data: { webhook_host } },
      {
        ...{ agentId: null, actor, action: 'webhook.retried', target: delivery_id },
        data: { event: 'webhook.test', webhook_host },
      },
    ])
    expect(await secretsInLog(stage.db.database, ['url-secret', platform.webhookSecret])).toEqual([])
  })
})

describe('test and retry without a receiver', () => {
  test('are refused without a webhook_url, and nothing is sent or recorded', async () => {
    const { delivery_id } = await platform.test()
    await platform.setUrl(null)
    expect(await refused(TEST)).toEqual([409, 'conflict'])
    expect(await refused(retryPath(delivery_id))).toEqual([409, 'conflict'])
    expect((await listed()).length).toBe(1)
    expect(receiver.requests.length).toBe(1)
  })

  test('are refused after a response of 410 until webhook_url is set again, even to the same address', async () => {
    status = 410
    const gone = await platform.test()
    expect(gone).toMatchObject({ status: 'failed', response_status: 410, next_attempt_at: null })
    const record = () => platform.get(`/v1/platforms/${formatId('plt', platform.id)}`)
    expect(await record()).toMatchObject({ webhook_disabled_at: expect.any(String) })
    expect(await refused(TEST)).toEqual([409, 'conflict'])
    expect(await refused(retryPath(gone.delivery_id))).toEqual([409, 'conflict'])
    expect(receiver.requests.length).toBe(1)
    status = 200
    await platform.setUrl(gone.url)
    expect(await record()).toMatchObject({ webhook_disabled_at: null })
    expect(await platform.retry(gone.delivery_id)).toMatchObject({ status: 'delivered', attempts: 2 })
  })
})

describe('a requested retry', () => {
  test('that succeeds ends a pending delivery', async () => {
    status = 500
    const { delivery_id } = await platform.test()
    status = 202
    const delivery = await platform.retry(delivery_id)
    expect(delivery).toMatchObject({
      status: 'delivered',
      attempts: 2,
      response_status: 202,
      last_error: null,
      next_attempt_at: null,
    })
    expect(receiver.requests[1]?.body).toBe(receiver.requests[0]?.body)
    expect(await listed()).toEqual([delivery])
  })

  test('that fails counts as the next attempt of a pending delivery’s schedule', async () => {
    status = 500
    const { delivery_id } = await platform.test()
    const delivery = await platform.retry(delivery_id)
    expect(delivery).toMatchObject({ status: 'pending', attempts: 2 })
    expect(inMs(delivery.next_attempt_at)).toBeGreaterThan(200_000)
  })

  test('that fails leaves a failed delivery failed, and one that succeeds delivers it', async () => {
    const { delivery_id } = await failedDelivery()
    status = 404
    const still = await platform.retry(delivery_id)
    expect(still).toMatchObject({
      status: 'failed',
      attempts: 11,
      response_status: 404,
      next_attempt_at: null,
    })
    status = 200
    expect(await platform.retry(delivery_id)).toMatchObject({ status: 'delivered', attempts: 12 })
  })

  test('that fails leaves a delivered delivery delivered, with its delivered_at and the new response status', async () => {
    const { delivery_id, delivered_at } = await platform.test()
    status = 500
    expect(await platform.retry(delivery_id)).toMatchObject({
      status: 'delivered',
      attempts: 2,
      response_status: 500,
      last_error: 'The receiver responded with 500',
      next_attempt_at: null,
      delivered_at,
    })
  })

  test('of another platform’s delivery or an unknown id returns 404, with or without a webhook_url', async () => {
    const { delivery_id } = await platform.test()
    const strangers = [await stage.newPlatform(), await stage.newPlatform(receiver.origin)]
    for (const stranger of strangers) {
      for (const id of [delivery_id, 'whd_none', delivery_id.replace('whd', 'evt')]) {
        expect(refusalIn(await stranger.ask('POST', retryPath(id)))).toEqual([404, 'not_found'])
      }
    }
    expect(receiver.requests.length).toBe(1)
  })

  test('never sends an event that failed verification', async () => {
    const { delivery_id } = await platform.test()
    await stage.db.database.query(`update events set data = '{"platform_id":"plt_forged"}' where id = $1`, [
      parseId('whd', delivery_id),
    ])
    const [before] = await listed()
    expect(await refused(retryPath(delivery_id))).toEqual([409, 'conflict'])
    expect(receiver.requests.length).toBe(1)
    expect(await listed()).toEqual([before])
  })
})
