import { routes } from '@batua/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { shown } from './src/network.ts'
import { type Behaviour, HANG, OK, respond } from './src/webhook-behaviour.ts'
import type { ReceivedEvent } from './src/webhook-receiver.ts'
import { type Listener, openWebhookStage, until, type WebhookStage } from './src/webhook-stage.ts'

const SECOND_MS = 1_000
const MINUTE_S = 60
const HOUR_S = 60 * MINUTE_S
const DAY_S = 24 * HOUR_S
/** The delay after each failed attempt (contract section 8), and its tolerance. */
const SCHEDULE_S = [
  5,
  5 * MINUTE_S,
  30 * MINUTE_S,
  2 * HOUR_S,
  5 * HOUR_S,
  10 * HOUR_S,
  14 * HOUR_S,
  20 * HOUR_S,
  DAY_S,
]
const JITTER = 0.2
/** Long enough for an unwanted webhook to arrive. */
const A_WHILE_MS = 400
/** Attempts that hang are aborted after 15 s; everything here is much faster. */
const SOON_MS = 8_000

let stage: WebhookStage

beforeAll(async () => {
  stage = await openWebhookStage()
})
afterAll(() => stage.close())

const aWhile = () => new Promise(resolve => setTimeout(resolve, A_WHILE_MS))

/** A platform whose receiver must have verified every request. */
async function withListener(work: (listener: Listener) => Promise<void>): Promise<void> {
  const listener = await stage.listener()
  await work(listener)
  expect(listener.receiver.faults).toEqual([])
  await listener.receiver.close()
}

function onlyOne(received: readonly ReceivedEvent[]): ReceivedEvent {
  const [first, ...others] = received
  if (first === undefined || others.length > 0) throw new Error(`${received.length} events arrived`)
  return first
}

describe('signatures', () => {
  test('every webhook verifies with the public library and the platform’s secret, and with no other', () =>
    withListener(async ({ happen, received, platform, receiver }) => {
      receiver.trust(platform.webhookSecret, (await stage.network.platform()).webhookSecret)
      await happen()
      await until(() => received().length === 1)
      const [arrival] = onlyOne(received()).arrivals
      expect(arrival?.verifiedBy).toEqual([platform.webhookSecret])
      expect(arrival?.headers['content-type']).toMatch(/^application\/json/)
    }))

  test('for 24 hours after a rotation both secrets verify, then only the new one', () =>
    withListener(async ({ happen, received, platform, receiver }) => {
      const { headers } = platform
      const { webhook_secret } = await stage.api.ok(routes.rotateWebhookSecret, {
        headers,
        params: { platform_id: platform.id },
      })
      const both = [platform.webhookSecret, shown(webhook_secret)]
      receiver.trust(...both)
      await happen()
      await until(() => received().length === 1)
      await stage.advance(DAY_S - MINUTE_S)
      await happen()
      await until(() => received().length === 2)
      await stage.advance(2 * MINUTE_S)
      await happen()
      await until(() => received().length === 3)
      const verifiedBy = received().map(({ arrivals }) => arrivals[0]?.verifiedBy)
      expect(verifiedBy).toEqual([both, both, both.slice(1)])
    }))
})

describe('retries', () => {
  test('a delivery is attempted ten times on schedule, identical except for its timestamp, and then fails', () =>
    withListener(async ({ happen, received, deliveryOf, receiver }) => {
      receiver.behave(respond(500))
      let startedAt = await stage.advance(0)
      await happen()
      for (const [index, delayS] of SCHEDULE_S.entries()) {
        const attempts = index + 1
        const pending = await deliveryOf({ status: 'pending', attempts })
        const endedBy = await stage.advance(0)
        expect(pending).toMatchObject({ response_status: 500, last_error: expect.any(String) })
        expect(pending.delivered_at).toBeNull()
        const nextMs = Date.parse(pending.next_attempt_at ?? '')
        expect(nextMs).toBeGreaterThanOrEqual(startedAt.getTime() + delayS * SECOND_MS * (1 - JITTER))
        expect(nextMs).toBeLessThanOrEqual(endedBy.getTime() + delayS * SECOND_MS * (1 + JITTER))
        startedAt = new Date(nextMs)
        await stage.advanceTo(pending.next_attempt_at)
      }
      const failed = await deliveryOf({ status: 'failed', attempts: SCHEDULE_S.length + 1 })
      expect(failed.next_attempt_at).toBeNull()
      await stage.advance(2 * DAY_S)
      const { arrivals } = onlyOne(received())
      expect(arrivals).toHaveLength(SCHEDULE_S.length + 1)
      for (const { headers, at } of arrivals) {
        expect(Math.abs(Number(headers['webhook-timestamp']) * SECOND_MS - at)).toBeLessThan(3 * SECOND_MS)
      }
    }))

  test('a receiver that sends Retry-After gets nothing until then, and afterwards all events', () =>
    withListener(async ({ happen, received, deliveryOf, list, receiver }) => {
      receiver.behave(({ attempt }) => (attempt === 1 ? respond(429, { 'retry-after': '120' }) : OK))
      const before = await stage.advance(0)
      await happen()
      const { next_attempt_at } = await deliveryOf({ status: 'pending', attempts: 1, response_status: 429 })
      expect(Date.parse(next_attempt_at ?? '')).toBeGreaterThanOrEqual(before.getTime() + 120 * SECOND_MS)
      receiver.behave(OK)
      await happen()
      await stage.advance(60)
      await aWhile()
      expect(received()).toHaveLength(1)
      await stage.advanceTo(next_attempt_at)
      await until(async () => (await list({ status: 'delivered' })).pagination.total === 2)
    }))

  const CLOSED = 'a closed port'
  const BAD: readonly (readonly [string, Behaviour | typeof CLOSED])[] = [
    ['a closed port', CLOSED],
    ['a connection reset before the request is read', { kind: 'reset', when: 'before reading' }],
    ['a connection reset after the request was read', { kind: 'reset', when: 'after reading' }],
    ['a response that is not HTTP', { kind: 'garbage' }],
    ['a 404', respond(404)],
    ['a 503', respond(503)],
  ]
  test.each(BAD)('%s is a failed attempt, and the next one delivers', (_name, behaviour) =>
    withListener(async ({ happen, received, deliveryOf, receiver }) => {
      if (behaviour === CLOSED) await receiver.goDown()
      else receiver.behave(behaviour)
      await happen()
      const { response_status, last_error, next_attempt_at } = await deliveryOf({
        status: 'pending',
        attempts: 1,
      })
      const status = behaviour !== CLOSED && behaviour.kind === 'respond' ? behaviour.status : null
      expect(response_status).toBe(status)
      expect(last_error).toMatch(/^[A-Z].{5,200}$/)
      if (behaviour === CLOSED) await receiver.comeBack()
      receiver.behave(OK)
      await stage.advanceTo(next_attempt_at)
      const delivered = await deliveryOf({ status: 'delivered' })
      expect(delivered).toMatchObject({
        attempts: 2,
        response_status: 200,
        last_error: null,
        next_attempt_at: null,
      })
      expect(delivered.delivered_at).not.toBeNull()
      expect(onlyOne(received()).accepted).toBe(1)
    }),
  )

  test.each([301, 302, 303, 307, 308])(
    'a redirect (%i) is not followed and counts as a failed attempt',
    status =>
      withListener(async ({ happen, deliveryOf, receiver }) => {
        const elsewhere = await stage.listener()
        receiver.behave(respond(status, { location: elsewhere.receiver.url }))
        await happen()
        await deliveryOf({ status: 'pending', attempts: 1, response_status: status })
        expect(elsewhere.receiver.hits()).toBe(0)
      }),
  )

  test('a receiver with an endless response delays no other', () =>
    withListener(async ({ happen, deliveryOf, receiver }) => {
      receiver.behave({ kind: 'endless body' })
      const start = Date.now()
      await happen()
      await deliveryOf({ status: 'delivered', attempts: 1, response_status: 200 })
      expect(Date.now() - start).toBeLessThan(SOON_MS)
    }))

  test('a receiver that hangs delays no other platform’s events', () =>
    withListener(async ({ happen, receiver }) => {
      receiver.behave(HANG)
      for (let count = 0; count < 12; count++) await happen()
      await until(() => receiver.hits() > 0)
      await withListener(async other => {
        const start = Date.now()
        for (let count = 1; count <= 5; count++) {
          await other.happen()
          await until(() => other.received().length === count)
        }
        expect(Date.now() - start).toBeLessThan(SOON_MS)
      })
    }))
})
