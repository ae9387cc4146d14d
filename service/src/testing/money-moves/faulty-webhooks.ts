import type { Deliver } from '../../domains/sandbox/providers/deliver.ts'
import type { OutgoingWebhook } from '../../domains/sandbox/providers/webhooks.ts'
import { isSignedTimestamped, signTimestamped } from '../../gateways/cashfree/signed-webhook.ts'
import { NodeCrashed } from './crashes.ts'
import type { ConnectionState } from './faulty-connection.ts'
import type { Random } from './random.ts'
import type { Tally } from './tally.ts'

/** Handles gateway webhooks. Returns the response status. */
export interface Intake {
  handleGatewayWebhook(gateway: string, webhook: OutgoingWebhook): Promise<number>
}

/** Delivers gateway webhooks to the nodes: some are lost, doubled, late or forged. */
export interface FaultyWebhooks {
  deliverFor(gateway: string): Deliver
  /** Delivers a share of the delayed webhooks, in any order. */
  deliverDelayed(share: number): Promise<void>
  readonly held: () => number
  readonly offences: readonly string[]
}

export interface FaultyWebhooksOptions {
  readonly random: Random
  readonly tally: Tally
  readonly connectionState: ConnectionState
  readonly secrets: readonly string[]
  readonly anyNode: () => Intake
  /** Whether only this webhook reports the fact, so that its sender does not give up. */
  readonly isInsistent: (body: string) => boolean
}

interface Held {
  readonly gateway: string
  readonly webhook: OutgoingWebhook
  readonly insistent: boolean
  readonly attempts: number
}

const COPIES = { '1': 60, '0': 12, '2': 20, '3': 8 } as const
const LATE_SHARE = 0.3
const FORGED_SHARE = 0.03
const REWRITTEN_SHARE = 0.03
const MAX_ATTEMPTS = 4

export function openFaultyWebhooks(options: FaultyWebhooksOptions): FaultyWebhooks {
  const { random, tally, connectionState } = options
  const held: Held[] = []
  const offences: string[] = []

  async function deliverOne(one: Held): Promise<void> {
    const status = await take(options, one)
    if (status === 'crashed' || status === 503) {
      tally.met('webhook: comes again')
      const again = { ...one, attempts: one.attempts + 1 }
      if (one.insistent || again.attempts < MAX_ATTEMPTS) held.push(again)
      return
    }
    const isTrue = isSigned(one.webhook, options.secrets)
    if (!isTrue) tally.met('webhook: refused')
    if (status !== (isTrue ? 200 : 401))
      offences.push(`the response to a webhook was ${status}: ${one.webhook.body}`)
  }

  async function deliver(gateway: string, webhook: OutgoingWebhook): Promise<void> {
    const insistent = options.isInsistent(webhook.body)
    const drawn = connectionState.isReliable ? 1 : Number(random.weighted(COPIES))
    const copies = Math.max(drawn, insistent ? 1 : 0)
    tally.met(`webhook: ${copies} times`)
    const one = { gateway, webhook, insistent, attempts: 0 }
    const now: Held[] = []
    for (let copy = 0; copy < copies; copy++) {
      const isLate = !connectionState.isReliable && random.chance(LATE_SHARE)
      if (isLate) tally.met('webhook: late')
      ;(isLate ? held : now).push(one)
    }
    const lies = connectionState.isReliable ? [] : liesAbout(random, webhook)
    now.push(...lies.map(lie => ({ ...one, webhook: lie, insistent: false })))
    await Promise.all(now.map(deliverOne))
  }

  return {
    offences,
    held: () => held.length,
    deliverFor: gateway => webhook => deliver(gateway, webhook),
    async deliverDelayed(share) {
      const chosen = random.shuffled(held.splice(0)).map(one => ({ one, now: random.chance(share) }))
      held.push(...chosen.filter(({ now }) => !now).map(({ one }) => one))
      await Promise.all(chosen.filter(({ now }) => now).map(({ one }) => deliverOne(one)))
    },
  }
}

async function take(
  { anyNode }: FaultyWebhooksOptions,
  { gateway, webhook }: Held,
): Promise<number | 'crashed'> {
  try {
    return await anyNode().handleGatewayWebhook(gateway, webhook)
  } catch (error) {
    if (error instanceof NodeCrashed) return 'crashed'
    throw error
  }
}

/** The same webhook with a foreign signature, or with other bytes under the same signature. */
function liesAbout(random: Random, { body, headers }: OutgoingWebhook): OutgoingWebhook[] {
  const lies: OutgoingWebhook[] = []
  if (random.chance(FORGED_SHARE)) {
    const signature = signTimestamped(body, headers['x-webhook-timestamp'] ?? '', 'forged')
    lies.push({ body, headers: { ...headers, 'x-webhook-signature': signature } })
  }
  if (random.chance(REWRITTEN_SHARE)) {
    lies.push({ headers, body: JSON.stringify(JSON.parse(body), null, 1) })
  }
  return lies
}

function isSigned({ body, headers }: OutgoingWebhook, secrets: readonly string[]): boolean {
  const timestamp = headers['x-webhook-timestamp']
  return isSignedTimestamped(Buffer.from(body), timestamp, headers['x-webhook-signature'], secrets)
}
