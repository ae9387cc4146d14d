import type { AgentOrigins } from '../api/types.ts'
import type { Client } from '../client/client.ts'
import { isBatuaError } from '../client/errors.ts'
import { checkSignature, createServiceKeys, type ServiceKeys } from '../client/service-keys.ts'
import { within } from '../client/timeouts.ts'
import { bytesFromBase64 } from '../protocol/base64.ts'
import { canonicalJson } from '../protocol/canonical.ts'
import { isAgentId, payeeName } from '../protocol/payee.ts'
import type { Buyer } from './buyer.ts'
import type { ChallengeRefusal } from './decide-challenge.ts'
import { invalidResponse } from './invalid-response.ts'

/** A payee with its origins; none: it names none. */
export interface Payee {
  readonly agentId: string
  readonly origins: readonly string[]
}

/** A payee; a refusal if its origins do not have the service's signature; null if the service does not know it. */
type Found = Payee | ChallengeRefusal | null

/** Finds the payee of a challenge. */
export type FindPayee = (payTo: string, signal: AbortSignal | undefined) => Promise<Found>

/** A payee's origins are verified and kept this long, so a payee's first origin takes effect within this time. */
const REMEMBERED_MS = 10 * 60_000
const MAX_REMEMBERED = 1_000

interface Remembered {
  readonly askedAt: number
  readonly payee: Promise<Found>
}

export function createFindPayee(client: Client, now: () => number): FindPayee {
  const known = new Map<string, Remembered>()
  const keys = createServiceKeys(() => client.getServiceKeys(), now)

  async function ask(handle: string): Promise<Found> {
    try {
      const [origins] = await Promise.all([client.getAgentOrigins({ handle }), keys.refresh()])
      const found = await verifyOrigins(keys, origins, handle)
      if ('kind' in found) known.delete(handle)
      return found
    } catch (error) {
      known.delete(handle)
      // The payment reports the same with a better error.
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

/** The payee that a document of origins is about, if the service has signed the document. */
async function verifyOrigins(
  keys: ServiceKeys,
  { signature, ...content }: AgentOrigins,
  wanted: string,
): Promise<Payee | ChallengeRefusal> {
  const { agent_id: agentId, handle, origins, issuer, key_id: keyId, signed_at: date } = content
  if (!isAgentId(agentId)) throw invalidResponse('agent_id')
  if (!Array.isArray(origins)) throw invalidResponse('origins')
  const key = await keys.find(keyId, undefined)
  if (key === null || 'unknownForMs' in key) return notGenuine(wanted, 'names no key of the service')
  const signed = { text: canonicalJson(content), signature: bytesFromBase64(signature), issuer, date }
  switch (await checkSignature(key, signed)) {
    case 'genuine':
      if (agentId === wanted || handle === wanted) return { agentId, origins }
      return notGenuine(wanted, `is about ${handle}`)
    case 'forged':
      return notGenuine(wanted, 'is not signed by the service')
    case 'uncertain':
      return notGenuine(wanted, 'is signed by a key that is revoked, or was not in use then')
    case 'unsupported':
      return notGenuine(wanted, 'cannot be verified, because this platform has no Ed25519')
  }
}

function notGenuine(payee: string, why: string): ChallengeRefusal {
  const message = `The list of origins at which ${payee} sells ${why}, so it is not paid`
  return { kind: 'refusal', code: 'origins_not_genuine', message }
}

export interface SellerFacts {
  readonly payTo: string
  readonly payee: Payee
  /** The address that asks for the payment. */
  readonly origin: string
  readonly host: string
  /** The payee that was paid at this host before; null: none. */
  readonly pinned: string | null
}

/**
 * Whether a payee may be paid here: a shop could pass on another shop's challenge and use the proof there. Null: it
 * may.
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

/**
 * The agent id of a payee that may be paid here, or why it may not; null if that is not checked, or the service knows
 * no such payee.
 */
export async function findSeller(
  { findPayee, journal, terms }: Pick<Buyer, 'findPayee' | 'journal' | 'terms'>,
  { payTo, origin, host }: Pick<SellerFacts, 'payTo' | 'origin' | 'host'>,
  signal: AbortSignal | undefined,
): Promise<string | ChallengeRefusal | null> {
  if (!terms.checksSellers) return null
  const payee = await findPayee(payTo, signal)
  if (payee === null || 'kind' in payee) return payee
  const pinned = await journal.payeeOf(host)
  return decideSeller({ payTo, payee, origin, host, pinned }) ?? payee.agentId
}

/** Whether a seller may not be paid. */
export function isRefusal(found: string | ChallengeRefusal | null): found is ChallengeRefusal {
  return typeof found === 'object' && found !== null
}
