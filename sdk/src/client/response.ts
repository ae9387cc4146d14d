import { BatuaError, type BatuaErrorCode, type BatuaErrorFacts } from './errors.ts'
import { retryAfterMsOf } from './retry.ts'

/** A completely read response. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** null: longer than any response of the service. */
  readonly text: string | null
}

/** The JSON of a successful response; throws its error otherwise. */
export function bodyOf({ status, headers, text }: Answer, nowMs: number): unknown {
  const body = text === null ? undefined : jsonOf(text)
  if (status >= 200 && status < 300 && isObject(body)) return body
  const error = isObject(body) && isObject(body['error']) ? body['error'] : {}
  const { code, message, request_id, field, details } = error
  const facts = {
    status,
    requestId: textOf(request_id) ?? headers.get('x-request-id'),
    retryAfterMs: retryAfterMsOf(headers.get('retry-after'), nowMs),
  }
  if (status < 400 || typeof code !== 'string' || typeof message !== 'string') throw invalidAnswer(facts)
  throw new BatuaError({
    ...facts,
    code: code as BatuaErrorCode,
    message,
    field: textOf(field),
    details: isObject(details) ? details : {},
  })
}

function invalidAnswer(facts: Pick<BatuaErrorFacts, 'status' | 'requestId' | 'retryAfterMs'>): BatuaError {
  const message = `The answer, status ${facts.status}, is not the service’s; is baseUrl its address?`
  return new BatuaError({ ...facts, code: 'invalid_answer', message, field: null, details: {} })
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
