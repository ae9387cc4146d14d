import { BatuaError, type BatuaErrorCode, type BatuaErrorFacts } from './errors.ts'
import { retryAfterMsOf } from './retry.ts'

/** A completely read response. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  /** null: longer than any response of the service. */
  readonly text: string | null
}

/** The JSON of a successful response; throws its error otherwise. */
export function bodyOf({ status, headers, text }: Reply, nowMs: number): unknown {
  const body = text === null ? undefined : jsonOf(text)
  if (status >= 200 && status < 300 && isObject(body)) return body
  const error = isObject(body) && isObject(body['error']) ? body['error'] : {}
  const { code, message, request_id, field, details } = error
  const facts = {
    status,
    requestId: textOf(request_id) ?? headers.get('x-request-id'),
    retryAfterMs: retryAfterMsOf(headers.get('retry-after'), nowMs),
  }
  if (status < 400 || typeof code !== 'string' || typeof message !== 'string') throw invalidResponse(facts)
  throw new BatuaError({
    ...facts,
    code: code as BatuaErrorCode,
    message,
    field: textOf(field),
    details: isObject(details) ? details : {},
  })
}

function invalidResponse(facts: Pick<BatuaErrorFacts, 'status' | 'requestId' | 'retryAfterMs'>): BatuaError {
  const message = `The response (status ${facts.status}) is not from the service; check baseUrl`
  return new BatuaError({ ...facts, code: 'invalid_response', message, field: null, details: {} })
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

/** The longest response is a page of 100 agents, each with four lists of 1,000 payees: about 13 MB. */
const MAX_RESPONSE_BYTES = 32 * 1_048_576

/** Reads a text body to its end; null if it is longer than the bound, and then its connection is closed. */
export async function readText(response: Response, maxBytes = MAX_RESPONSE_BYTES): Promise<string | null> {
  const { body } = response
  // Not every platform that has `fetch` shows a body as a stream.
  if (typeof body?.getReader !== 'function') return response.text()
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (let bytes = 0; ; ) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.byteLength
    if (bytes > maxBytes) {
      reader.cancel().catch(() => undefined)
      return null
    }
    text += decoder.decode(value, { stream: true })
  }
}
