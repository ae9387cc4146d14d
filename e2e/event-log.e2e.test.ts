import { type LoggedEvent, routes } from '@batua/contract'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Agent } from './src/network.ts'
import { respond } from './src/webhook-behaviour.ts'
import { type Listener, openWebhookStage, until, type WebhookStage } from './src/webhook-stage.ts'

let stage: WebhookStage
let first: Listener
let second: Listener
let buyer: Agent
let helper: Agent

/** Two agents of one platform pay each other and another platform's agent, among other things that happen. */
beforeAll(async () => {
  stage = await openWebhookStage()
  ;[first, second] = await Promise.all([stage.listener(), stage.listener()])
  const { network, api } = stage
  const owner = await network.owner(first.platform)
  await network.verify(owner)
  buyer = await network.agent(owner)
  helper = await network.agent(owner)
  await network.fund(buyer, 1000)
  for (let round = 0; round < 6; round++) {
    await network.pay(buyer, helper, 10 + round)
    await network.pay(buyer, second.agent, 20 + round)
    await network.pay(helper, buyer, 1)
  }
  await api.ok(routes.holdEscrow, {
    params: { agent_id: buyer.id },
    headers: first.platform.headers,
    body: { amount: 5 },
  })
})
afterAll(() => stage.close())

async function listed({ platform }: Listener, query = {}, limit = 7): Promise<LoggedEvent[]> {
  const all: LoggedEvent[] = []
  for (let cursor: string | undefined; ; ) {
    const { events, pagination } = await stage.api.ok(routes.listEvents, {
      headers: platform.headers,
      query: { ...query, limit, ...(cursor === undefined ? {} : { cursor }) },
    })
    all.push(...events)
    cursor = pagination.next_cursor
    if (cursor !== undefined) continue
    expect(all).toHaveLength(pagination.total)
    return all
  }
}

test('the list of events has exactly the events that the receiver gets, with their bytes, newest first', async () => {
  for (const listener of [first, second]) {
    const events = await listed(listener)
    await until(() => listener.received().length >= events.length)
    const received = new Map(listener.received().map(({ id, body }) => [id, body]))
    expect(new Map(events.map(({ event_id, body }) => [event_id, body]))).toEqual(received)
    const ids = events.map(({ event_id }) => event_id)
    expect(ids).toEqual(ids.toSorted().toReversed())
  }
})

test('events are filtered by their name and agent, and skipped by an offset', async () => {
  const all = await listed(first)
  const sent = await listed(first, { event: 'agent.payment.sent' }, 4)
  expect(sent).toEqual(all.filter(({ event }) => event === 'agent.payment.sent'))
  const ofHelper = await listed(first, { agent_id: helper.id }, 5)
  expect(ofHelper).toEqual(all.filter(({ body }) => JSON.parse(body ?? '').data.agent_id === helper.id))
  const funded = await listed(first, { event: 'agent.funded' })
  expect(funded).toHaveLength(1)
  for (const offset of [1, 9, all.length - 1, all.length]) {
    const { events } = await stage.api.ok(routes.listEvents, {
      headers: first.platform.headers,
      query: { limit: 3, offset },
    })
    expect(events).toEqual(all.slice(offset, offset + 3))
  }
})

test('a platform without a webhook_url reads its events, and no platform reads another’s', async () => {
  const silent = await stage.listener(false)
  await silent.happen()
  expect((await listed(silent)).map(({ event }) => event)).toContain('agent.status.changed')
  await stage.api.refused(routes.listEvents, 403, 'authorization_error', {
    headers: silent.platform.headers,
    query: { agent_id: buyer.id },
  })
})

test('a delivery shows each attempt with its response and time, and a request whose signature is genuine', async () => {
  const own = await stage.listener()
  own.receiver.behave(({ attempt }) => respond(attempt === 1 ? 500 : 204))
  await own.happen()
  await until(async () => (await own.list()).deliveries.some(({ attempts }) => attempts === 1))
  await stage.advance(8)
  await until(async () => (await own.list()).deliveries.every(({ status }) => status === 'delivered'))
  const { deliveries } = await own.list()
  const [delivery] = deliveries
  const details = await stage.api.ok(routes.getWebhookDelivery, {
    headers: own.platform.headers,
    params: { delivery_id: delivery?.delivery_id ?? '' },
  })
  expect(details).toMatchObject({
    ...delivery,
    attempt_history: [
      { response_status: 204, error: null },
      { response_status: 500, error: expect.any(String) },
    ],
  })
  const [later, earlier] = details.attempt_history.map(({ at }) => Date.parse(at))
  expect((later ?? 0) - (earlier ?? 0)).toBeGreaterThanOrEqual(4_000)
  const { headers = {}, body = '' } = details.request ?? {}
  expect(body).toBe(own.received()[0]?.body)
  const webhook = new Webhook(own.platform.webhookSecret)
  expect(webhook.verify(body, headers)).toMatchObject({ event: delivery?.event })
  await stage.api.refused(routes.getWebhookDelivery, 404, 'not_found', {
    headers: first.platform.headers,
    params: { delivery_id: delivery?.delivery_id ?? '' },
  })
})
