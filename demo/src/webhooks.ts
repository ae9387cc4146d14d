import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { routes } from '@batua/contract'
import type { Agents, Platform } from './cast.ts'
import { insist, type Stage } from './stage.ts'
import { type Arrival, openReceiver } from './webhook-receiver.ts'
import { summaryOf } from './webhook-summary.ts'

const AMOUNT_INR = 20
const EVENTS = ['agent.payment.sent', 'agent.payment.received'] as const
const PATIENCE_MS = 15_000
const LOOK_EVERY_MS = 20

/** The platform registers a receiver and gets the events of both sides of a payment. */
export async function receiveWebhooks(stage: Stage, platform: Platform, agents: Agents): Promise<void> {
  const { client, paper } = stage
  paper.chapter('The platform receives signed webhooks')
  if (!isHere(client.address)) {
    paper.say('Skipped: a service on another machine cannot reach a receiver on this one.')
    return
  }
  const arrivals: Arrival[] = []
  const receiver = await openReceiver({
    port: 0,
    secrets: [platform.webhookSecret],
    onArrival: arrival => arrivals.push(arrival),
  })
  try {
    await register(stage, platform, receiver.address)
    const paymentId = await pay(stage, agents)
    await waitForEvents(arrivals, paymentId)
    showEvents(stage, arrivals, paymentId)
    await register(stage, platform, null)
  } finally {
    receiver.close()
  }
}

/** Only a service on this machine can reach the demo's receiver. */
function isHere(address: string): boolean {
  const { hostname } = new URL(address)
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

async function register({ client }: Stage, { id, headers }: Platform, url: string | null): Promise<void> {
  const call = { params: { platform_id: id }, headers, body: { webhook_url: url } }
  const platform = await client.ok(routes.updatePlatform, call)
  insist(platform.webhook_url === url, 'a platform shows its webhook_url')
}

async function pay({ client }: Stage, { payer, payee }: Agents): Promise<string> {
  const payment = await client.ok(routes.pay, {
    params: { agent_id: payer.id },
    headers: payer.headers,
    body: { to: payee.handle, amount: AMOUNT_INR, idempotency_key: randomUUID() },
  })
  insist(payment.payment_id !== null, 'a completed payment has an id')
  return payment.payment_id
}

async function waitForEvents(arrivals: readonly Arrival[], paymentId: string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS
  while (EVENTS.some(name => contentOf(arrivals, name, paymentId) === null)) {
    insist(Date.now() < deadline, `both events of a payment arrive within ${PATIENCE_MS / 1_000} s`)
    await delay(LOOK_EVERY_MS)
  }
}

function showEvents({ paper }: Stage, arrivals: readonly Arrival[], paymentId: string): void {
  insist(
    arrivals.every(({ verification }) => verification.verified),
    'every webhook is signed',
  )
  paper.facts(
    EVENTS.map(name => {
      const content = contentOf(arrivals, name, paymentId)
      return [name, content?.id ?? '', summaryOf(content?.data ?? {})]
    }),
  )
  paper.proof('One event for each side, both signed: checked by the public library standardwebhooks.')
}

/** The event of this name about the payment, if it has come and is genuine. */
function contentOf(arrivals: readonly Arrival[], name: string, paymentId: string) {
  for (const { verification } of arrivals) {
    if (!verification.verified) continue
    const { event, data } = verification.content
    if (event === name && data['payment_id'] === paymentId) return verification.content
  }
  return null
}
