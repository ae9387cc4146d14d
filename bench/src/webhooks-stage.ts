import { setTimeout as delay } from 'node:timers/promises'
import type { Queryable } from '../../service/src/db/database.ts'
import type { Api } from './api.ts'
import type { LoadReport, Order } from './messages.ts'
import type { Stage } from './stage.ts'
import type { WebhookReceiver } from './start-webhook-receiver.ts'
import { runMetered, type Usage } from './usage.ts'
import type { ReceiverFigures } from './webhook-messages.ts'
import { setWebhookUrl, type TwoSides } from './webhook-network.ts'

/** A separate service, two platforms whose agents pay each other, and a receiver for each. */
export interface WebhookStage extends Stage {
  readonly api: Api
  readonly network: TwoSides
  readonly receivers: readonly [WebhookReceiver, WebhookReceiver]
  readonly say: (line: string) => void
}

/** One load with the receivers' figures for its window. */
export interface Watched {
  readonly report: LoadReport
  readonly usage: Usage | null
  readonly figures: readonly [ReceiverFigures, ReceiverFigures]
}

/** The delivery of the backlog after the end of the load. */
export interface Drain {
  readonly delivered: number
  readonly missing: number
  readonly seconds: number
}

const QUIET_WITHIN_MS = 60_000
const POLL_MS = 10

/** Sets the webhook_url of both platforms. */
export async function register({ api, network, receivers }: WebhookStage): Promise<void> {
  await Promise.all(
    network.sides.map((side, index) => setWebhookUrl(api, side, receivers[index]?.url ?? null)),
  )
}

/** Removes both webhook_urls and waits until nothing is left to deliver. */
export async function unregister({ api, network, db, say }: WebhookStage): Promise<void> {
  await Promise.all(network.sides.map(side => setWebhookUrl(api, side, null)))
  const tooLateMs = performance.now() + QUIET_WITHIN_MS
  while (!(await isQuiet(db))) {
    if (performance.now() > tooLateMs) {
      say('webhooks: events still wait although both webhook_urls were removed')
      return
    }
    await delay(10 * POLL_MS)
  }
}

async function isQuiet(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ quiet: boolean }>(
    `select not exists (select from payment_events) and not exists (select from events where queued)
       and not exists (select from webhook_backlog)
       and not exists (select from webhook_deliveries where status = 'pending') as quiet`,
    [],
  )
  return row?.quiet ?? false
}

/** Payments between the two platforms, so that each makes an event for either receiver. */
export async function payAcross(
  stage: WebhookStage,
  order: Pick<Order, 'connections' | 'perSecond' | 'warmUpMs' | 'measureMs'>,
): Promise<Watched> {
  const { receivers } = stage
  let marked: Promise<unknown> = Promise.resolve()
  let figures = readBoth(receivers)
  const { usage, ...report } = await runMetered(
    stage,
    { ...order, payee: 'across', agents: 'usual' },
    {
      onBegan: () => {
        marked = Promise.all(receivers.map(receiver => receiver.mark()))
      },
      onEnded: () => {
        figures = readBoth(receivers)
      },
    },
  )
  await marked
  return { report, usage, figures: await figures }
}

/** Waits until so many webhooks in all had a response, but no longer than that. */
export async function drain(stage: WebhookStage, wanted: number, withinMs: number): Promise<Drain> {
  const startedMs = performance.now()
  const before = await totalOf(stage)
  let total = before
  while (total < wanted && performance.now() - startedMs < withinMs) {
    await delay(POLL_MS)
    total = await totalOf(stage)
  }
  return {
    delivered: total - before,
    missing: Math.max(0, wanted - total),
    seconds: (performance.now() - startedMs) / 1000,
  }
}

/** Webhooks with a response so far, of both receivers. */
export async function totalOf({ receivers }: Pick<WebhookStage, 'receivers'>): Promise<number> {
  const [one, other] = await readBoth(receivers)
  return one.total + other.total
}

async function readBoth([one, other]: WebhookStage['receivers']): Promise<Watched['figures']> {
  return Promise.all([one.read(), other.read()])
}
