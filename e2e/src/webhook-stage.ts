import { setTimeout as delay } from 'node:timers/promises'
import {
  type EventName,
  type ResponseOf,
  routes,
  type WebhookBody,
  type WebhookDelivery,
} from '@batua/contract'
import type { Sent } from './api.ts'
import type { Agent, Platform } from './network.ts'
import { type Stage, sharedStage } from './stage.ts'
import { openReceiver, type ReceivedEvent, type Receiver } from './webhook-receiver.ts'

type ListResponse = ResponseOf<typeof routes.listWebhookDeliveries>

/** A platform with a receiver for the events of its agent, and what its developer reads. */
export interface Listener {
  readonly platform: Platform
  readonly agent: Agent
  readonly receiver: Receiver
  /** Pauses the agent, or resumes it: one event, `agent.status.changed`. */
  happen(): Promise<void>
  /** The events of this name, in the order of arrival. */
  bodies(name?: EventName): WebhookBody[]
  received(): readonly ReceivedEvent[]
  list(query?: Sent['query']): Promise<ListResponse>
  /** Its delivery of this event. */
  delivery(eventId: string): Promise<WebhookDelivery | undefined>
  /** The only delivery, once it has this status. */
  deliveryOf(wanted: Partial<WebhookDelivery>): Promise<WebhookDelivery>
  setUrl(url: string | null): Promise<void>
}

export interface WebhookStage extends Stage {
  /** A new platform, with a receiver's address or without one. */
  listener(hasUrl?: boolean): Promise<Listener>
  /** Advances the clock, waits for the due work, and returns the service's time. */
  advance(seconds: number): Promise<Date>
  /** Advances the clock to this time. */
  advanceTo(moment: string | null): Promise<void>
}

const WITHIN_MS = 10_000
const POLL_MS = 15

/** Waits until the condition is true. */
export async function until(isThere: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + WITHIN_MS
  while (!(await isThere())) {
    if (Date.now() > deadline) throw new Error(`not within ${WITHIN_MS} ms: ${isThere.toString()}`)
    await delay(POLL_MS)
  }
}

export async function openWebhookStage(): Promise<WebhookStage> {
  const stage = await sharedStage()
  const receivers: Receiver[] = []
  const advance = async (seconds: number): Promise<Date> => {
    const { now } = await stage.api.ok(routes.advanceClock, { body: { advance_seconds: seconds } })
    return new Date(now)
  }
  return {
    ...stage,
    async listener(hasUrl = true) {
      const receiver = await openReceiver()
      receivers.push(receiver)
      return openListener(stage, receiver, hasUrl)
    },
    advance,
    async advanceTo(moment) {
      const away = Date.parse(moment ?? '') - (await advance(0)).getTime()
      await advance(Math.max(0, Math.ceil(away / 1_000)))
    },
    async close() {
      await stage.close()
      await Promise.all(receivers.map(receiver => receiver.close()))
    },
  }
}

async function openListener({ api, network }: Stage, receiver: Receiver, hasUrl: boolean): Promise<Listener> {
  const platform = await network.platform(hasUrl ? { webhook_url: receiver.url } : {})
  receiver.trust(platform.webhookSecret)
  const agent = await network.agent(await network.owner(platform))
  const { headers } = platform
  const received = () => [...receiver.received.values()]
  const list = (query: Sent['query'] = {}) => api.ok(routes.listWebhookDeliveries, { headers, query })
  let isPaused = false
  return {
    platform,
    agent,
    receiver,
    async happen() {
      const route = isPaused ? routes.resumeAgent : routes.pauseAgent
      await api.ok(route, { headers, params: { agent_id: agent.id } })
      isPaused = !isPaused
    },
    bodies(name) {
      const bodies = received().map(({ body }) => JSON.parse(body) as WebhookBody)
      return name === undefined ? bodies : bodies.filter(({ event }) => event === name)
    },
    received,
    list,
    async delivery(eventId) {
      const { deliveries } = await list({ limit: 100 })
      return deliveries.find(({ event_id }) => event_id === eventId)
    },
    async deliveryOf(wanted) {
      const found: WebhookDelivery[] = []
      await until(async () => {
        const { deliveries } = await list()
        found.push(...deliveries.filter(each => deliveries.length === 1 && isSuch(each, wanted)))
        return found.length > 0
      })
      const [delivery] = found
      if (delivery === undefined) throw new Error('it was found')
      return delivery
    },
    async setUrl(url) {
      await api.ok(routes.updatePlatform, {
        headers,
        params: { platform_id: platform.id },
        body: { webhook_url: url },
      })
    },
  }
}

function isSuch(delivery: WebhookDelivery, wanted: Partial<WebhookDelivery>): boolean {
  const entries = Object.entries(delivery)
  return Object.entries(wanted).every(([name, value]) =>
    entries.some(([key, found]) => key === name && found === value),
  )
}
