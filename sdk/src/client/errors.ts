import type { ErrorCode } from '../api/types.ts'
import type { ErrorDetails } from './error-details.ts'

/**
 * Why a call failed. The service's codes, and three of the client's own: `network_error` (no response), `timeout`
 * (none in time) and `invalid_response` (the response is not the service's). After these three a change may have
 * happened.
 */
export type BatuaErrorCode = ErrorCode | 'network_error' | 'timeout' | 'invalid_response'

export interface BatuaErrorFacts<Code extends BatuaErrorCode = BatuaErrorCode> {
  readonly code: Code
  readonly message: string
  /** The HTTP status; null without a response. */
  readonly status: number | null
  /** Quote it in support requests; null without a response. */
  readonly requestId: string | null
  /** The invalid input. */
  readonly field: string | null
  /** What a program needs to continue, by the code; amounts in INR. */
  readonly details: DetailsOf<Code>
  /** How long to wait before another try, if the service said so. */
  readonly retryAfterMs: number | null
}

export type DetailsOf<Code extends BatuaErrorCode> = Code extends keyof ErrorDetails
  ? ErrorDetails[Code]
  : Readonly<Record<string, unknown>>

/** A failed call. Narrow it by `code`, and `details` has its type. */
export class BatuaError<Code extends BatuaErrorCode = BatuaErrorCode> extends Error {
  override readonly name = 'BatuaError'
  readonly code: Code
  readonly status: number | null
  readonly requestId: string | null
  readonly field: string | null
  readonly details: DetailsOf<Code>
  readonly retryAfterMs: number | null

  constructor(facts: BatuaErrorFacts<Code>, options?: ErrorOptions) {
    super(facts.message, options)
    this.code = facts.code
    this.status = facts.status
    this.requestId = facts.requestId
    this.field = facts.field
    this.details = facts.details
    this.retryAfterMs = facts.retryAfterMs
  }
}

/** Each code with its own details. */
export type AnyBatuaError = { [Code in BatuaErrorCode]: BatuaError<Code> }[BatuaErrorCode]

/** Whether a caught value is an error of a call, also from another copy of this package. */
export function isBatuaError(value: unknown): value is AnyBatuaError {
  return value instanceof Error && value.name === 'BatuaError'
}

/** The result of a call, as a value. */
export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: AnyBatuaError }

/** Turns a call's error into a value: `const paid = await outcome(client.pay(…))`. Anything else is thrown again. */
export async function outcome<T>(call: Promise<T>): Promise<Outcome<T>> {
  try {
    return { ok: true, value: await call }
  } catch (error) {
    if (isBatuaError(error)) return { ok: false, error }
    throw error
  }
}
