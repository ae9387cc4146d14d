import { credentialOf } from '../client/client.ts'
import { createTurns, type InTurn } from './in-turn.ts'
import { createNonces, type Nonces, type Surroundings } from './nonce.ts'
import { type NonceUses, usesAtService, usesInStore } from './nonce-uses.ts'
import { createOpenClaims, type OpenClaims } from './open-claims.ts'
import type { SellerOptions } from './options.ts'
import type { PaymentService } from './payment-service.ts'

/** What the parts of one seller share. */
export interface SellerContext {
  readonly payTo: string
  readonly description: string | null
  readonly onFailure: 'refund' | 'keep'
  readonly nonceTtlMs: number
  readonly verifyTimeoutMs: number
  readonly service: PaymentService
  readonly nonces: Nonces
  readonly uses: NonceUses
  readonly openClaims: OpenClaims
  readonly inTurn: InTurn
  readonly surroundings: Surroundings
  /** Never throws, whatever is behind it. */
  readonly onError: (error: unknown) => void
}

const DEFAULT_NONCE_TTL_MS = 10 * 60_000
const DEFAULT_VERIFY_TIMEOUT_MS = 5_000

export function openContext(
  options: Omit<SellerOptions<never>, 'amount'>,
  surroundings: Surroundings,
): SellerContext {
  const service = options.client
  const onError = tellSafely(options.onError)
  return {
    payTo: payeeIn(options.payTo),
    description: options.description ?? null,
    onFailure: options.onFailure ?? 'refund',
    nonceTtlMs: msIn('nonceTtlMs', options.nonceTtlMs ?? DEFAULT_NONCE_TTL_MS),
    verifyTimeoutMs: msIn('verifyTimeoutMs', options.verifyTimeoutMs ?? DEFAULT_VERIFY_TIMEOUT_MS),
    service,
    nonces: createNonces(secretsOf(options), surroundings),
    uses:
      options.nonces === undefined ? usesAtService(service, onError) : usesInStore(service, options.nonces),
    openClaims: createOpenClaims(surroundings.now),
    inTurn: createTurns(),
    surroundings,
    onError,
  }
}

const PAYEE = /^[^\p{Cc}\p{Cs}]{1,64}$/u

function payeeIn(payTo: string): string {
  if (!PAYEE.test(payTo)) throw new TypeError('payTo is the handle or the id of the agent that is paid')
  return payTo
}

const MAX_TIMER_MS = 2 ** 31 - 1

function msIn(name: string, ms: number): number {
  if (!(ms > 0 && ms <= MAX_TIMER_MS)) throw new RangeError(`${name} is above 0 and at most ${MAX_TIMER_MS}`)
  return ms
}

/** Whoever sees a nonce can try secrets against it in private: a short one would be found. */
const MIN_SECRET_LENGTH = 16

function secretsOf({ client, secret }: Pick<SellerOptions<never>, 'client' | 'secret'>): readonly string[] {
  const given = secret ?? credentialOf(client).agentKey
  if (given === undefined) throw new TypeError('the client of a seller needs the agentKey of the payee')
  const secrets = typeof given === 'string' ? [given] : given
  if (secrets.length === 0) throw new TypeError('at least one secret has to sign nonces')
  if (secrets.some(each => each.length < MIN_SECRET_LENGTH))
    throw new RangeError(`a secret has at least ${MIN_SECRET_LENGTH} characters`)
  return secrets
}

function tellSafely(onError: ((error: unknown) => unknown) | undefined): (error: unknown) => void {
  async function tell(error: unknown): Promise<void> {
    try {
      await onError?.(error)
    } catch {
      // What fails in telling of an error has nobody left to be told to.
    }
  }
  return error => {
    void tell(error)
  }
}
