import { setTimeout as pause } from 'node:timers/promises'
import type { GatewayResult } from '../../../gateways/gateway-result.ts'
import type { ReconciliationContext } from './context.ts'

/** Questions that are under way at once: enough to hide the network, too few to trouble a gateway. */
export const AT_ONCE = 8
const PAUSES_MS = [500, 2_000]
/**
 * A gateway that leaves so many questions in a row without an answer is away, and is left alone for a while. Those that
 * are under way by then are still asked.
 */
export const AWAY_AFTER = 16
export const AWAY_MS = 10 * 60_000

export type Asked<T> = { readonly answered: true; readonly value: T } | { readonly answered: false }

/** Asks a gateway by its name about a subject. */
export type Ask = <T>(
  gateway: string,
  subject: string,
  question: () => Promise<GatewayResult<T>>,
) => Promise<Asked<T>>

/** What a comparison works with: all that it is given, and its own way of asking. */
export interface Comparing extends ReconciliationContext {
  readonly ask: Ask
}

export function openComparing(context: ReconciliationContext): Comparing {
  return { ...context, ask: openAsk(context) }
}

interface Silence {
  inRow: number
  awayUntilMs: number
}

/**
 * Asks, and asks again after a pause when no answer came; asking changes nothing, so it may always be repeated. While a
 * gateway is away it is not asked at all: a comparison of many thousands ends in minutes then, with all of it unchecked.
 */
function openAsk({ pausesMs = PAUSES_MS, clock, logger }: ReconciliationContext): Ask {
  const silences = new Map<string, Silence>()

  function silenceOf(gateway: string): Silence {
    const silence = silences.get(gateway) ?? { inRow: 0, awayUntilMs: 0 }
    silences.set(gateway, silence)
    return silence
  }

  return async (gateway, subject, question) => {
    const silence = silenceOf(gateway)
    for (let asked = 0; ; asked++) {
      const nowMs = clock.now().getTime()
      if (nowMs < silence.awayUntilMs) return { answered: false }
      const answer = await question()
      if (answer.kind === 'value' || answer.kind === 'rejected') silence.inRow = 0
      if (answer.kind === 'value') return { answered: true, value: answer.value }
      const pauseMs = answer.kind === 'rejected' ? undefined : pausesMs[asked]
      if (pauseMs === undefined) {
        logger.warn(
          { subject, kind: answer.kind, reason: answer.message },
          'reconciliation: the gateway did not respond',
        )
        if (answer.kind !== 'rejected' && ++silence.inRow >= AWAY_AFTER) silence.awayUntilMs = nowMs + AWAY_MS
        return { answered: false }
      }
      await pause(pauseMs)
    }
  }
}
