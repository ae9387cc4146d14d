import type { Deliver } from '../../domains/sandbox/providers/deliver.ts'
import type { OutgoingWebhook } from '../../domains/sandbox/providers/webhooks.ts'
import { isSignedTimestamped, signTimestamped } from '../../gateways/webhook-signature.ts'
import type { Dice } from './dice.ts'
import type { Weather } from './faulty-line.ts'
import { NodeDied } from './mortality.ts'
import type { Tally } from './tally.ts'

/** Who takes in notices. It answers with the status of its answer. */
export interface Intake {
  handleGatewayWebhook(gateway: string, notice: OutgoingWebhook): Promise<number>
}

/** The way of notices to the nodes: some never come, some twice or late, some are not what they say they are. */
export interface NoticeLine {
  deliverFor(gateway: string): Deliver
  /** Brings a share of what is held back, in any order. */
  bringHeld(share: number): Promise<void>
  readonly held: () => number
  readonly offences: readonly string[]
}

export interface NoticeLineOptions {
  readonly dice: Dice
  readonly tally: Tally
  readonly weather: Weather
  readonly secrets: readonly string[]
  readonly anyNode: () => Intake
  /** Whether nobody would ask about this by himself, so that its sender does not give up. */
  readonly isInsistent: (body: string) => boolean
}

interface Held {
  readonly gateway: string
  readonly notice: OutgoingWebhook
  readonly insistent: boolean
  readonly attempts: number
}

const COPIES = { '1': 60, '0': 12, '2': 20, '3': 8 } as const
const LATE_SHARE = 0.3
const FORGED_SHARE = 0.03
const REWRITTEN_SHARE = 0.03
const MAX_ATTEMPTS = 4

export function openNoticeLine(options: NoticeLineOptions): NoticeLine {
  const { dice, tally, weather } = options
  const held: Held[] = []
  const offences: string[] = []

  async function bring(one: Held): Promise<void> {
    const status = await take(options, one)
    if (status === 'died' || status === 503) {
      tally.met('notice: comes again')
      const again = { ...one, attempts: one.attempts + 1 }
      if (one.insistent || again.attempts < MAX_ATTEMPTS) held.push(again)
      return
    }
    const isTrue = isSigned(one.notice, options.secrets)
    if (!isTrue) tally.met('notice: refused')
    if (status !== (isTrue ? 200 : 401)) offences.push(`a notice was answered ${status}: ${one.notice.body}`)
  }

  async function deliver(gateway: string, notice: OutgoingWebhook): Promise<void> {
    const insistent = options.isInsistent(notice.body)
    const drawn = weather.calm ? 1 : Number(dice.weighted(COPIES))
    const copies = Math.max(drawn, insistent ? 1 : 0)
    tally.met(`notice: ${copies} times`)
    const one = { gateway, notice, insistent, attempts: 0 }
    const now: Held[] = []
    for (let copy = 0; copy < copies; copy++) {
      const isLate = !weather.calm && dice.chance(LATE_SHARE)
      if (isLate) tally.met('notice: late')
      ;(isLate ? held : now).push(one)
    }
    const lies = weather.calm ? [] : liesAbout(dice, notice)
    now.push(...lies.map(lie => ({ ...one, notice: lie, insistent: false })))
    await Promise.all(now.map(bring))
  }

  return {
    offences,
    held: () => held.length,
    deliverFor: gateway => notice => deliver(gateway, notice),
    async bringHeld(share) {
      const chosen = dice.shuffled(held.splice(0)).map(one => ({ one, now: dice.chance(share) }))
      held.push(...chosen.filter(({ now }) => !now).map(({ one }) => one))
      await Promise.all(chosen.filter(({ now }) => now).map(({ one }) => bring(one)))
    },
  }
}

async function take({ anyNode }: NoticeLineOptions, { gateway, notice }: Held): Promise<number | 'died'> {
  try {
    return await anyNode().handleGatewayWebhook(gateway, notice)
  } catch (error) {
    if (error instanceof NodeDied) return 'died'
    throw error
  }
}

/** The same notice with the signature of somebody else, or with other bytes under the same signature. */
function liesAbout(dice: Dice, { body, headers }: OutgoingWebhook): OutgoingWebhook[] {
  const lies: OutgoingWebhook[] = []
  if (dice.chance(FORGED_SHARE)) {
    const signature = signTimestamped(body, headers['x-webhook-timestamp'] ?? '', 'forged')
    lies.push({ body, headers: { ...headers, 'x-webhook-signature': signature } })
  }
  if (dice.chance(REWRITTEN_SHARE)) {
    lies.push({ headers, body: JSON.stringify(JSON.parse(body), null, 1) })
  }
  return lies
}

function isSigned({ body, headers }: OutgoingWebhook, secrets: readonly string[]): boolean {
  const timestamp = headers['x-webhook-timestamp']
  return isSignedTimestamped(Buffer.from(body), timestamp, headers['x-webhook-signature'], secrets)
}
