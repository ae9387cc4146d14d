import { BatuaError, type BatuaErrorCode } from './errors.ts'

/** An error that no answer of the service carries. */
export function ownError(
  code: BatuaErrorCode,
  message: string,
  { field = null, ...options }: { readonly field?: string | null } & ErrorOptions = {},
): BatuaError {
  const nothing = { status: null, requestId: null, details: {}, retryAfterMs: null }
  return new BatuaError({ ...nothing, code, message, field }, options)
}
