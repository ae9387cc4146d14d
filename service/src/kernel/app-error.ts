import { ERROR_STATUS, type ErrorCode } from '@batua/contract/codes'

export interface ErrorDetails {
  readonly field?: string
  readonly details?: Record<string, unknown>
  readonly headers?: Record<string, string>
  /** Where the contract gives one code two statuses (an Idempotency-Key with another body is 422). */
  readonly status?: number
}

/** An error that the caller can act on. It is rendered as the error envelope and never logged as a fault. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly field: string | undefined
  readonly details: Record<string, unknown> | undefined
  readonly headers: Record<string, string> | undefined

  constructor(code: ErrorCode, message: string, more: ErrorDetails = {}) {
    super(message)
    this.name = 'AppError'
    this.code = code
    this.status = more.status ?? ERROR_STATUS[code]
    this.field = more.field
    this.details = more.details
    this.headers = more.headers
  }
}

/** A refusal as a value, for pure rules; `raise` turns it into the error that the renderer knows. */
export interface Refusal extends ErrorDetails {
  readonly kind: 'refusal'
  readonly code: ErrorCode
  readonly message: string
}

export function refuse(code: ErrorCode, message: string, more: ErrorDetails = {}): Refusal {
  return { kind: 'refusal', code, message, ...more }
}

export function raise(refusal: Refusal): never {
  throw errorOf(refusal)
}

export function errorOf({ code, message, ...more }: Refusal): AppError {
  return new AppError(code, message, more)
}

const NOT_SIGNED =
  'You have a passkey, so this needs it: ask for a challenge (POST /v1/step-up, or that of the approval), sign it and send the request again'

/** The refusal of what a passkey of the person has to confirm, and has not. */
export function passkeyRequired(message = NOT_SIGNED): Refusal {
  return refuse('passkey_required', message)
}
