import {
  type AnyBatuaError,
  BatuaError,
  isBatuaError,
  PurchaseError,
  type PurchaseErrorCode,
} from '@batua/sdk'
import { withoutSecrets } from './printable.ts'

/** The exit codes (docs/cli.md). */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  limit: 3,
  waits: 4,
  money: 5,
  notAllowed: 6,
  notFound: 7,
  conflict: 8,
  away: 9,
  unknown: 10,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** The envelope of the service's errors, which `--json` prints for every failure. */
export interface ErrorBody {
  readonly error: {
    readonly code: string
    readonly message: string
    readonly request_id?: string
    readonly field?: string
    readonly details?: object
  }
}

export interface FailureFacts {
  readonly exit: ExitCode
  readonly code: string
  readonly message: string
  readonly details?: object
  readonly requestId?: string | null
  readonly field?: string | null
  /** What to do next, line by line, for people. */
  readonly hints?: readonly string[]
}

/** Why a command ends with another exit code than 0. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly exit: ExitCode
  readonly body: ErrorBody
  readonly hints: readonly string[]

  constructor({ exit, code, message, details = {}, requestId, field, hints = [] }: FailureFacts) {
    super(withoutSecrets(message))
    this.exit = exit
    this.hints = hints
    this.body = {
      error: {
        code,
        message: this.message,
        ...(requestId ? { request_id: requestId } : {}),
        ...(field ? { field } : {}),
        ...(Object.keys(details).length === 0 ? {} : { details }),
      },
    }
  }
}

/** Why a command ends after Ctrl-C. */
export function interrupted(): Failure {
  return new Failure({ exit: EXIT.failed, code: 'interrupted', message: 'Interrupted' })
}

export function usage(message: string, hints: readonly string[] = []): Failure {
  return new Failure({ exit: EXIT.usage, code: 'usage_error', message, hints })
}

const EXIT_OF_CODE: Readonly<Record<string, ExitCode>> = {
  validation_error: EXIT.usage,
  payload_too_large: EXIT.usage,
  authentication_error: EXIT.notAllowed,
  authorization_error: EXIT.notAllowed,
  policy_denied: EXIT.notAllowed,
  kyc_required: EXIT.notAllowed,
  passkey_required: EXIT.notAllowed,
  insufficient_balance: EXIT.money,
  spend_limit_exceeded: EXIT.limit,
  escrow_required: EXIT.limit,
  not_found: EXIT.notFound,
  idempotency_error: EXIT.conflict,
  conflict: EXIT.conflict,
  rate_limit_exceeded: EXIT.away,
  gateway_error: EXIT.away,
  service_unavailable: EXIT.away,
  network_error: EXIT.away,
  timeout: EXIT.away,
}

/** The exit code for an error code of the service. */
export function exitOfCode(code: string): ExitCode {
  return EXIT_OF_CODE[code] ?? EXIT.failed
}

const EXIT_OF_PURCHASE: Readonly<Record<PurchaseErrorCode, ExitCode>> = {
  invalid_challenge: EXIT.failed,
  price_too_high: EXIT.limit,
  budget_exceeded: EXIT.limit,
  payee_not_allowed: EXIT.notAllowed,
  payee_changed: EXIT.notAllowed,
  buyer_not_accepted: EXIT.notAllowed,
  origins_not_genuine: EXIT.notAllowed,
  insecure_seller: EXIT.notAllowed,
  redirect_refused: EXIT.notAllowed,
  body_not_repeatable: EXIT.usage,
  approval_rejected: EXIT.notAllowed,
  approval_expired: EXIT.notAllowed,
  approval_timeout: EXIT.waits,
  price_changed: EXIT.limit,
  payment_not_accepted: EXIT.failed,
  payment_mismatch: EXIT.failed,
}

/** Any error as a failure of the command. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error
  if (isBatuaError(error)) return serviceFailure(error)
  if (error instanceof PurchaseError) {
    const { code, message, paymentId, refunded, approvalId, nonce, url } = error
    const details = { url, payment_id: paymentId, refunded, approval_id: approvalId, reference: nonce }
    return new Failure({ exit: EXIT_OF_PURCHASE[code], code, message, details })
  }
  const message = error instanceof Error ? error.message : String(error)
  return new Failure({ exit: EXIT.failed, code: 'failed', message })
}

function serviceFailure(error: AnyBatuaError): Failure {
  const { code, message, requestId, field, details } = error
  // The service itself does not know whether the change was made.
  const isUnknown = 'outcome' in details && details.outcome === 'unknown'
  const exit = isUnknown ? EXIT.unknown : exitOfCode(code)
  return new Failure({ exit, code, message, requestId, field, details, hints: HINTS[code] ?? [] })
}

const HINTS: Readonly<Record<string, readonly string[]>> = {
  passkey_required: ['Confirm it with the passkey in the console: batua open'],
  authentication_error: ['Log in again: batua login --help'],
  network_error: ['Is the service running, and is this its address? batua doctor'],
}

const UNREACHED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** Whether no connection was made, so that nothing can have been done. */
export function wasUnreached(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && UNREACHED.has(String(cause.code))) return true
  }
  return false
}

/** A failure of the network in front of another server than the service, such as a shop. */
export function unreachable(url: string, cause: unknown): BatuaError {
  const host = new URL(url).host
  const facts = { status: null, requestId: null, field: null, details: {}, retryAfterMs: null }
  const message = wasUnreached(cause) ? `No connection to ${host}` : `${host} did not respond`
  return new BatuaError({ ...facts, code: 'network_error', message }, { cause })
}
