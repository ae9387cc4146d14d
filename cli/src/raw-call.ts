import { BatuaError, type BatuaErrorCode } from '@batua/sdk'
import { unreachable } from './failure.ts'
import { type Access, credentialHeaders } from './session.ts'

interface RawRequest {
  readonly headers?: Record<string, string>
  readonly signal: AbortSignal
}

/**
 * The response to a GET whose body is a stream; an error of the service is thrown as its client throws
 * it. A redirect would send the credentials to its target, so none is followed.
 */
export async function responseOf(access: Access, path: string, request: RawRequest): Promise<Response> {
  const url = access.url.replace(/\/+$/, '') + path
  const { signal } = request
  const headers = { ...credentialHeaders(access), ...request.headers }
  const response = await fetch(url, { headers, signal, redirect: 'manual' }).catch((error: unknown) => {
    signal.throwIfAborted()
    throw unreachable(url, error)
  })
  if (response.ok) return response
  throw errorIn(response, await response.text().catch(() => ''))
}

function errorIn({ status, headers }: Response, text: string): BatuaError {
  const requestId = headers.get('x-request-id')
  const facts = { status, requestId, field: null, details: {}, retryAfterMs: null }
  try {
    const { error } = JSON.parse(text) as { readonly error: Record<string, unknown> }
    const { code, message, details } = error
    if (typeof code === 'string' && typeof message === 'string')
      return new BatuaError({
        ...facts,
        code: code as BatuaErrorCode,
        message,
        details: Object(details ?? {}),
      })
  } catch {
    // Not the service's; reported below.
  }
  const message = `The response (status ${status}) is not from the service; check its address`
  return new BatuaError({ ...facts, code: 'invalid_response', message })
}
