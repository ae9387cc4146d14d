import type { Agent } from '../api/types.ts'
import { credentialOf } from '../client/client.ts'
import { createServiceKeys, type ServiceKeys } from '../client/service-keys.ts'
import { remembered } from '../client/timeouts.ts'
import { isPayee } from '../protocol/headers.ts'
import { errorReporterOf } from './error-reporter.ts'
import { createTurns, type InTurn } from './in-turn.ts'
import { createNonces, type Nonces, type Quote, type Surroundings } from './nonce.ts'
import { type NonceUses, usesAtService, usesInStore } from './nonce-uses.ts'
import { createOpenClaims, type OpenClaims } from './open-claims.ts'
import type { SellerOptions } from './options.ts'
import type { PaymentService } from './payment-service.ts'
import { createVerificationLimits, type VerificationLimits } from './verification-limits.ts'

/** The shared state of one seller. */
export interface SellerContext {
  readonly payTo: string
  /** Whether the price is fixed. */
  readonly hasFixedPrice: boolean
  readonly description: string | null
  readonly receiptRequired: boolean
  readonly onFailure: 'refund' | 'keep'
  readonly nonceTtlMs: number
  readonly verifyTimeoutMs: number
  readonly service: PaymentService
  /** The agent of the client, requested once. */
  agent(signal: AbortSignal | undefined): Promise<Agent>
  readonly nonces: Nonces
  readonly uses: NonceUses
  readonly usedAt: Quote['usedAt']
  readonly openClaims: OpenClaims
  readonly verificationLimits: VerificationLimits
  readonly serviceKeys: ServiceKeys
  readonly inTurn: InTurn
  readonly surroundings: Surroundings
  /** Never throws. */
  readonly onError: (error: unknown) => void
}

export const DEFAULT_NONCE_TTL_MS = 10 * 60_000
const DEFAULT_VERIFY_TIMEOUT_MS = 5_000

export function openContext(options: SellerOptions<never>, surroundings: Surroundings): SellerContext {
  const { client: service, nonces: store } = options
  const verifyTimeoutMs = verifyTimeoutIn(options)
  const fetchKeys = () => service.getServiceKeys({}, { timeoutMs: verifyTimeoutMs, maxRetries: 0 })
  const onError = errorReporterOf(options.onError)
  return {
    payTo: payeeIn(options.payTo),
    hasFixedPrice: typeof options.amount !== 'function',
    description: options.description ?? null,
    receiptRequired: options.receiptRequired === true,
    onFailure: onFailureIn(options.onFailure ?? 'refund'),
    nonceTtlMs: msIn('nonceTtlMs', options.nonceTtlMs ?? DEFAULT_NONCE_TTL_MS),
    verifyTimeoutMs,
    service,
    agent: remembered(() => service.getCurrentAgent()),
    nonces: createNonces(secretsOf(options), surroundings),
    uses: store === undefined ? usesAtService(service) : usesInStore(service, store),
    usedAt: store === undefined ? 'service' : 'store',
    openClaims: createOpenClaims(surroundings.now),
    verificationLimits: createVerificationLimits(surroundings.now),
    serviceKeys: createServiceKeys(fetchKeys, surroundings.now),
    inTurn: createTurns(),
    surroundings,
    onError,
  }
}

/** How long one request may wait for the service. */
export function verifyTimeoutIn({ verifyTimeoutMs }: Pick<SellerOptions<never>, 'verifyTimeoutMs'>): number {
  return msIn('verifyTimeoutMs', verifyTimeoutMs ?? DEFAULT_VERIFY_TIMEOUT_MS)
}

/** The name of a payee, checked. */
export function payeeIn(payTo: string): string {
  if (typeof payTo !== 'string' || !isPayee(payTo))
    throw new TypeError('payTo must be the handle or the id of the payee')
  return payTo
}

/** Any other value would decide what happens to money. */
function onFailureIn(onFailure: 'refund' | 'keep'): 'refund' | 'keep' {
  if (onFailure !== 'refund' && onFailure !== 'keep') throw new TypeError("onFailure is 'refund' or 'keep'")
  return onFailure
}

const MAX_TIMER_MS = 2 ** 31 - 1

function msIn(name: string, ms: number): number {
  if (!(ms > 0 && ms <= MAX_TIMER_MS))
    throw new RangeError(`${name} must be above 0 and at most ${MAX_TIMER_MS}`)
  return ms
}

/** A nonce allows offline guesses of the secret, so a short secret would be found. */
const MIN_SECRET_LENGTH = 16

/** What signs a seller's nonces. */
export function secretsOf({
  client,
  secret,
}: Pick<SellerOptions<never>, 'client' | 'secret'>): readonly string[] {
  const given = secret ?? credentialOf(client).agentKey
  if (given === undefined) throw new TypeError('the client of a seller needs the agentKey of the payee')
  const secrets = typeof given === 'string' ? [given] : given
  if (secrets.length === 0) throw new TypeError('at least one secret must sign nonces')
  if (secrets.some(each => each.length < MIN_SECRET_LENGTH))
    throw new RangeError(
      `a secret, or the agentKey in its place, has at least ${MIN_SECRET_LENGTH} characters`,
    )
  return secrets
}
