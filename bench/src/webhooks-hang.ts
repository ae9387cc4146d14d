import { setTimeout as delay } from 'node:timers/promises'
import type { Manner } from './webhook-messages.ts'
import { payAcross, register, unregister, type WebhookStage } from './webhooks-stage.ts'

/** How long events take to one receiver, beside another that answers or hangs. */
export interface HangRound {
  readonly manner: Manner
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly longestMs: number
  /** What the other receiver answered, and what it took without an answer. */
  readonly otherAnswered: number
  readonly otherHeld: number
}

export const HANG_PAYMENTS_PER_SECOND = 400
const CONNECTIONS = 32
const MANNERS = ['answer', 'hang'] as const
/** Twice that of other loads, because a p99 needs many. */
const WINDOW_FACTOR = 2
/** A receiver that hangs has answered until then, so that as much is under way as to any other. */
const ANSWERS_FIRST_MS = 3_000
/** Then longer than a webhook may take, so that there are time-outs in the window, as there are for as long as it hangs. */
const LONGEST_WARM_UP_MS = 17_000
const WARM_UP_FACTOR = 3

/** A steady load that tells both as much, while the other's receiver alternately answers and hangs. */
export async function measureHang(
  stage: WebhookStage,
  rounds: number,
  seconds: number,
): Promise<HangRound[]> {
  const measured: HangRound[] = []
  for (let round = 0; round < rounds; round++) {
    for (const manner of round % 2 === 0 ? MANNERS : MANNERS.toReversed()) {
      const one = await measureManner(stage, manner, seconds)
      measured.push(one)
      stage.say(
        `round ${round + 1}: beside a receiver that would ${manner} p50 ${one.p50Ms.toFixed(1)} ms, p99 ${one.p99Ms.toFixed(1)} ms (${one.otherAnswered} answered, ${one.otherHeld} held)`,
      )
    }
  }
  return measured
}

async function measureManner(stage: WebhookStage, manner: Manner, seconds: number): Promise<HangRound> {
  const [, otherReceiver] = stage.receivers
  const heldBefore = (await otherReceiver.read()).held
  await register(stage)
  const load = payAcross(stage, {
    connections: CONNECTIONS,
    perSecond: HANG_PAYMENTS_PER_SECOND,
    warmUpMs: ANSWERS_FIRST_MS + Math.min(WARM_UP_FACTOR * seconds * 1000, LONGEST_WARM_UP_MS),
    measureMs: WINDOW_FACTOR * seconds * 1000,
  })
  await delay(ANSWERS_FIRST_MS)
  await otherReceiver.behave(manner)
  const { figures } = await load
  await otherReceiver.behave('answer')
  await unregister(stage)
  const [watched, other] = figures
  return {
    manner,
    perSecond: watched.counted / watched.seconds,
    p50Ms: watched.p50Ms,
    p99Ms: watched.p99Ms,
    longestMs: watched.longestMs,
    otherAnswered: other.counted,
    otherHeld: other.held - heldBefore,
  }
}
