import { isFields } from '../protocol/x402.ts'
import { usedUntil } from '../seller/decide.ts'
import { issuedAtOf, type Surroundings } from '../seller/nonce.ts'
import { createOpenClaims } from '../seller/open-claims.ts'

/** A payment as x402's server passes it to each of its steps: the same object. */
export interface ShownPayment {
  readonly payload: object
}

/** The seller's ids of its requests: the service takes a payment, or what was set aside, for one of them. */
export interface Attempts {
  /** A new one; or that of an earlier request with this payment whose outcome is unknown. */
  begin(payment: ShownPayment): string
  /** That of this request. */
  of(payment: ShownPayment): string
  /** After a step whose outcome is unknown: a request that shows the payment again gets the same id. */
  reopen(payment: ShownPayment, ttlMs: number): void
  isOpen(payment: ShownPayment): boolean
}

const ATTEMPT_BYTES = 16

export function createAttempts({ now, randomBytes }: Surroundings): Attempts {
  const open = createOpenClaims(now)
  const begun = new WeakMap<object, string>()

  function begin(payment: ShownPayment): string {
    const key = keyOf(payment)
    const known = open.find(key)
    // No other request gets this id, because two requests under one attempt would both succeed.
    open.forget(key)
    const attempt = known ?? hexOf(randomBytes(ATTEMPT_BYTES))
    begun.set(payment, attempt)
    return attempt
  }
  return {
    begin,
    of: payment => begun.get(payment) ?? begin(payment),
    reopen(payment, ttlMs) {
      const attempt = begun.get(payment)
      const issuedAt = issuedAtOf(proofIn(payment).nonce)
      if (attempt === undefined || issuedAt === null) return
      open.keep(keyOf(payment), attempt, usedUntil({ issuedAt, ttlMs }).getTime())
    },
    isOpen: payment => open.find(keyOf(payment)) !== null,
  }
}

/** The parts of a payment that identify it. */
export interface ShownProof {
  readonly nonce: string
  readonly transactionId: unknown
  /** The token of what was set aside. */
  readonly authorization: unknown
  readonly fromAgent: unknown
  readonly receipt: unknown
}

const OF_BUYERS = ['version', 'transactionId', 'authorization', 'fromAgent', 'nonce', 'receipt']

/**
 * Whether a payment has only what buyers write. x402's server passes on whatever else a buyer wrote: with a `phase` or
 * an `attempt` of its own, a settlement would undo what it should take, or be that of another request.
 */
export function isOfBuyer({ payload }: ShownPayment): boolean {
  return isFields(payload) && Object.keys(payload).every(name => OF_BUYERS.includes(name))
}

export function proofIn({ payload }: ShownPayment): ShownProof {
  const { nonce, transactionId, authorization, fromAgent, receipt } = payload as Partial<
    Record<string, unknown>
  >
  return { nonce: String(nonce), transactionId, authorization, fromAgent, receipt }
}

function keyOf(payment: ShownPayment): string {
  const { nonce, transactionId, authorization } = proofIn(payment)
  return `${nonce} ${String(transactionId ?? authorization)}`
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}
