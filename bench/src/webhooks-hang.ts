import { setTimeout as delay } from 'node:timers/promises'
import type { Manner } from './webhook-messages.ts'
import { payAcross, register, unregister, type WebhookStage } from './webhooks-stage.ts'

/** The delay of events to one receiver, while another one responds or hangs. */
export interface HangRound {
  readonly manner: Manner
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly longestMs: number
  /** The webhooks that the other receiver responded to, and those that it left open. */
  readonly otherResponses: number
  readonly otherOpen: number
}

export const HANG_PAYMENTS_PER_SECOND = 400
const CONNECTIONS = 32
const MANNERS = ['respond', 'hang'] as const
/** Twice that of other loads, because a p99 needs many samples. */
const WINDOW_FACTOR = 2
/** A hanging receiver responds until then, so that it has as many concurrent requests as any other. */
const RESPONDS_FIRST_MS = 3_000
/** Then longer than the timeout of a webhook, so that the window contains timeouts, like any time while it hangs. */
const LONGEST_WARM_UP_MS = 17_000
const WARM_UP_FACTOR = 3

/** A steady load with webhooks to both, while the other receiver alternately responds and hangs. */
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
        `round ${round + 1}: while the other receiver would ${manner}: p50 ${one.p50Ms.toFixed(1)} ms, p99 ${one.p99Ms.toFixed(1)} ms (${one.otherResponses} responses, ${one.otherOpen} open)`,
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
    warmUpMs: RESPONDS_FIRST_MS + Math.min(WARM_UP_FACTOR * seconds * 1000, LONGEST_WARM_UP_MS),
    measureMs: WINDOW_FACTOR * seconds * 1000,
  })
  await delay(RESPONDS_FIRST_MS)
  await otherReceiver.behave(manner)
  const { figures } = await load
  await otherReceiver.behave('respond')
  await unregister(stage)
  const [watched, other] = figures
  return {
    manner,
    perSecond: watched.counted / watched.seconds,
    p50Ms: watched.p50Ms,
    p99Ms: watched.p99Ms,
    longestMs: watched.longestMs,
    otherResponses: other.counted,
    otherOpen: other.held - heldBefore,
  }
}
