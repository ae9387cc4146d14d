import { BatuaError, type BatuaErrorCode } from './errors.ts'

/** An error that is not from a response of the service. */
export function ownError(
  code: BatuaErrorCode,
  message: string,
  { field = null, ...options }: { readonly field?: string | null } & ErrorOptions = {},
): BatuaError {
  const nothing = { status: null, requestId: null, details: {}, retryAfterMs: null }
  return new BatuaError({ ...nothing, code, message, field }, options)
}
