import { setTimeout as pause } from 'node:timers/promises'
import type { GatewayResult } from '../../../gateways/gateway-result.ts'
import type { ReconciliationContext } from '../context.ts'

/** Concurrent queries: enough to hide the network, too few to burden a gateway. */
export const AT_ONCE = 8
const PAUSES_MS = [500, 2_000]
/**
 * A gateway that leaves so many queries in a row without a response is unavailable, and is not queried for a while.
 * Queries that are under way by then are still completed.
 */
export const UNAVAILABLE_AFTER = 16
export const UNAVAILABLE_MS = 10 * 60_000

export type GatewayReply<T> = { readonly responded: true; readonly value: T } | { readonly responded: false }

/** Queries a gateway, by its name, about a subject. */
export type QueryGateway = <T>(
  gateway: string,
  subject: string,
  query: () => Promise<GatewayResult<T>>,
) => Promise<GatewayReply<T>>

/** The context of a reconciliation, with its way to query gateways. */
export interface Reconciler extends ReconciliationContext {
  readonly query: QueryGateway
}

export function openReconciler(context: ReconciliationContext): Reconciler {
  return { ...context, query: openQuery(context) }
}

interface GatewayState {
  failuresInRow: number
  unavailableUntilMs: number
}

/**
 * Repeats a query without a response after a pause; a query changes nothing, so it can always be repeated. A gateway that
 * is unavailable is not queried at all, so that a run of many thousands of items ends in minutes, with all of it
 * unchecked.
 */
function openQuery({ pausesMs = PAUSES_MS, clock, logger }: ReconciliationContext): QueryGateway {
  const states = new Map<string, GatewayState>()

  function stateOf(gateway: string): GatewayState {
    const state = states.get(gateway) ?? { failuresInRow: 0, unavailableUntilMs: 0 }
    states.set(gateway, state)
    return state
  }

  return async (gateway, subject, query) => {
    const state = stateOf(gateway)
    for (let tries = 0; ; tries++) {
      const nowMs = clock.now().getTime()
      if (nowMs < state.unavailableUntilMs) return { responded: false }
      const result = await query()
      if (result.kind === 'value' || result.kind === 'rejected') state.failuresInRow = 0
      if (result.kind === 'value') return { responded: true, value: result.value }
      const pauseMs = result.kind === 'rejected' ? undefined : pausesMs[tries]
      if (pauseMs === undefined) {
        logger.warn(
          { subject, kind: result.kind, reason: result.message },
          'reconciliation: the gateway did not respond',
        )
        if (result.kind !== 'rejected' && ++state.failuresInRow >= UNAVAILABLE_AFTER)
          state.unavailableUntilMs = nowMs + UNAVAILABLE_MS
        return { responded: false }
      }
      await pause(pauseMs)
    }
  }
}
