import { randomUUID } from 'node:crypto'
import { currentOrigin } from '../../db/database.ts'
import { type Paise, rupeesText } from '../../kernel/money.ts'
import type { Span, Tracing } from '../../kernel/tracing.ts'
import { type ExactJson, parseExactJson, textAt } from '../exact-json.ts'
import { type GatewayResult, reasonWord, rejected, value } from '../gateway-result.ts'
import { noResponse, readAtMost } from '../outgoing-http.ts'

/** The address of one of Cashfree's three APIs, and the credentials for it. */
export interface CashfreeAccess {
  /** Without a slash at its end: `https://api.cashfree.com/pg`. */
  readonly baseUrl: string
  readonly clientId: string
  readonly clientSecret: string
  /** `x-api-version`; null where the API has none. */
  readonly apiVersion: string | null
  readonly timeoutMs?: number
  /** Absent or null: calls are not traced. */
  readonly tracing?: Tracing | null
}

export interface CashfreeCall {
  readonly method: 'GET' | 'POST' | 'PATCH'
  /** The path after the base; all values in it are encoded. */
  readonly path: string
  readonly body?: Readonly<Record<string, unknown>>
  /** Our idempotency key, for a write that must take effect once. A write without one gets a new key. */
  readonly idempotencyKey?: string
  /** The request changes nothing, so it may be repeated after any failure. Always true for a GET. */
  readonly isQuestion?: boolean
  /** Sends no credentials, as the payer's browser does. */
  readonly isOpen?: boolean
}

export type CallCashfree = (call: CashfreeCall) => Promise<GatewayResult<ExactJson>>

const TIMEOUT_MS = 8_000
const MAX_RESPONSE_BYTES = 1024 * 1024

/**
 * Calls Cashfree. An error message contains only a status and a code, because Cashfree's messages may quote a bank
 * account. It follows no redirect, which would send the credentials to another host.
 */
export function openCashfree(access: CashfreeAccess): CallCashfree {
  return async call => {
    const isQuestion = call.method === 'GET' || call.isQuestion === true
    const span = startSpan(access.tracing ?? null)
    let status: number | null = null
    try {
      const response = await fetch(access.baseUrl + call.path, {
        method: call.method,
        headers: { ...headersOf(access, call, isQuestion), ...(span && { traceparent: span.traceparent }) },
        body: call.body === undefined ? null : JSON.stringify(call.body),
        redirect: 'manual',
        signal: AbortSignal.timeout(access.timeoutMs ?? TIMEOUT_MS),
      })
      ;({ status } = response)
      const { text, isWhole } = await readAtMost(response, MAX_RESPONSE_BYTES)
      return resultOf(response.status, isWhole ? parseExactJson(text) : undefined, isQuestion)
    } catch (error) {
      const response = noResponse(error)
      return isQuestion ? { ...response, kind: 'retryable' } : response
    } finally {
      endSpan(span, access, call, status)
    }
  }
}

/** A call of a request is in its trace; one of a job begins a trace. */
function startSpan(tracing: Tracing | null): Span | null {
  if (tracing === null) return null
  const { span: request } = currentOrigin()
  return request?.child('gateway call', 'client') ?? tracing.root('gateway call', { kind: 'client' })
}

function endSpan(
  span: Span | null,
  { baseUrl }: CashfreeAccess,
  { method }: CashfreeCall,
  status: number | null,
): void {
  span?.end(
    {
      'server.address': new URL(baseUrl).hostname,
      'http.request.method': method,
      ...(status === null ? {} : { 'http.response.status_code': status }),
    },
    status === null || status > 299,
  )
}

function headersOf(
  { clientId, clientSecret, apiVersion }: CashfreeAccess,
  { body, idempotencyKey, isOpen = false }: CashfreeCall,
  isQuestion: boolean,
): Record<string, string> {
  return {
    accept: 'application/json',
    'x-request-id': randomUUID(),
    ...(apiVersion === null ? {} : { 'x-api-version': apiVersion }),
    ...(isOpen ? {} : { 'x-client-id': clientId, 'x-client-secret': clientSecret }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(isQuestion ? {} : { 'x-idempotency-key': idempotencyKey ?? randomUUID() }),
  }
}

/** Reads a status and a body. Only a refusal with a code proves that the request had no effect. */
function resultOf(
  status: number,
  body: ExactJson | undefined,
  isQuestion: boolean,
): GatewayResult<ExactJson> {
  const inDoubt = isQuestion ? 'retryable' : 'unknown'
  if (status >= 200 && status <= 299) {
    if (typeof body === 'object' && body !== null) return value(body)
    return { kind: inDoubt, message: `Cashfree returned ${status} with a body that cannot be read` }
  }
  const code = codeOf(body)
  const message = `Cashfree returned ${status}${code === null ? '' : ` ${code}`}`
  if (status === 401 || status === 403) {
    return { kind: 'retryable', message: `${message}: check the credentials and the allowed addresses` }
  }
  if (status === 429) return { kind: 'retryable', message }
  // The key was used before, so an earlier request of this id may have taken effect.
  if (status === 422 && isIdempotency(body)) return { kind: inDoubt, message }
  if (status >= 400 && status <= 499 && status !== 408 && code !== null) return rejected(code, message)
  return { kind: inDoubt, message }
}

function codeOf(body: ExactJson | undefined): string | null {
  return reasonWord(textAt(body, 'code'))
}

/** Whether a refusal says that the id was used before. Then the outcome of that request is the result. */
export function isTaken(code: string): boolean {
  return /already_exist|duplicate/.test(code)
}

function isIdempotency(body: ExactJson | undefined): boolean {
  return `${textAt(body, 'type')} ${textAt(body, 'code')}`.includes('idempoten')
}

/** Newer than the compiler's types of the language. */
declare global {
  interface JSON {
    /** A value that `stringify` writes as exactly this text. */
    rawJSON(text: string): unknown
  }
}

/** An amount as a JSON number with two decimals, written from its digits: `1000.50`. */
export function rupeesJson(amount: Paise): unknown {
  return JSON.rawJSON(rupeesText(amount))
}
