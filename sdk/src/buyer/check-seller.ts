import type { Client } from '../client/client.ts'
import { isBatuaError } from '../client/errors.ts'
import { within } from '../client/patience.ts'
import { isAgentId, payeeName } from '../protocol/payee.ts'
import type { ChallengeRefusal } from './decide-challenge.ts'
import { invalidAnswer } from './invalid-answer.ts'

/** A payee, and where it says that it sells: web origins; none: it does not say. */
export interface Payee {
  readonly agentId: string
  readonly origins: readonly string[]
}

/** The payee of a challenge as the service knows it; null when it knows none. */
export type FindPayee = (payTo: string, signal: AbortSignal | undefined) => Promise<Payee | null>

/** A payee's origins are cached this long, so a payee's first origin takes effect within this time. */
const REMEMBERED_MS = 10 * 60_000
const MAX_REMEMBERED = 1_000

interface Remembered {
  readonly askedAt: number
  readonly payee: Promise<Payee | null>
}

export function createFindPayee(client: Client, now: () => number): FindPayee {
  const known = new Map<string, Remembered>()

  async function ask(handle: string): Promise<Payee | null> {
    try {
      const { agent_id: agentId, origins } = await client.getAgentOrigins({ handle })
      if (!isAgentId(agentId)) throw invalidAnswer('agent_id')
      if (!Array.isArray(origins)) throw invalidAnswer('origins')
      return { agentId, origins }
    } catch (error) {
      known.delete(handle)
      // The payment says the same, and better.
      if (isBatuaError(error) && error.code === 'not_found') return null
      throw error
    }
  }
  return (payTo, signal) => {
    const handle = payeeName(payTo)
    const before = known.get(handle)
    const isFresh = before !== undefined && Math.abs(now() - before.askedAt) < REMEMBERED_MS
    const { payee } = isFresh ? before : { payee: ask(handle) }
    if (!isFresh) {
      known.delete(handle)
      known.set(handle, { askedAt: now(), payee })
      for (const eldest of known.keys()) {
        if (known.size <= MAX_REMEMBERED) break
        known.delete(eldest)
      }
    }
    return signal === undefined ? payee : within(Number.POSITIVE_INFINITY, signal, () => payee)
  }
}

export interface SellerFacts {
  readonly payTo: string
  readonly payee: Payee
  /** Where money is asked for. */
  readonly origin: string
  readonly host: string
  /** The payee that was paid at this host before; null: none is known. */
  readonly pinned: string | null
}

/**
 * Whether a payee may be paid here: a shop can pass on what another shop asks for, and use the proof there. Null: it may.
 */
export function decideSeller({ payTo, payee, origin, host, pinned }: SellerFacts): ChallengeRefusal | null {
  if (payee.origins.length > 0) {
    if (payee.origins.includes(origin)) return null
    const message = `${payTo} sells at ${payee.origins.join(', ')}, and not at ${origin}`
    return { kind: 'refusal', code: 'payee_not_allowed', message }
  }
  if (pinned === null || pinned === payee.agentId) return null
  const message = `${host} was paid to ${pinned} before, and now wants ${payTo} to be paid, which does not say that it sells there`
  return { kind: 'refusal', code: 'payee_changed', message }
}
