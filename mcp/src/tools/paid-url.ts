import { noteText } from '@batua/contract'
import { NoResponse, readAtMost } from '@batua/outgoing'
import type { Payment } from '@batua/sdk'
import { type Static, Type } from 'typebox'
import type { ToolName } from '../tool.ts'
import { ToolRefusal } from '../tool-refusal.ts'
import type { Wallet } from '../wallet.ts'

/** How long one call of a tool may wait for a page. */
export const PAGE_TIMEOUT_MS = 30_000

/** The longest body of a page that a tool returns; what is longer is cut off. */
export const MAX_PAGE_BYTES = 1024 * 1024

const MAX_REQUEST_BODY = 60 * 1024

/** The request that a tool makes for the model. */
export const pageRequest = {
  url: Type.String({
    maxLength: 2048,
    format: 'web-url',
    description: 'The address, with https.',
    examples: ['https://weather.example/today?city=Pune'],
  }),
  method: Type.Optional(
    Type.Enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], {
      description: 'GET if absent.',
      examples: ['GET'],
    }),
  ),
  headers: Type.Optional(
    Type.Record(Type.String(), Type.String({ maxLength: 4096 }), {
      maxProperties: 30,
      description: 'Headers, by their names; none of the connection, such as Host or Content-Length.',
      examples: [{ accept: 'application/json' }],
    }),
  ),
  body: Type.Optional(
    Type.String({
      maxLength: MAX_REQUEST_BODY,
      description: 'The body, as text.',
      examples: ['{"words":120}'],
    }),
  ),
}

export const purposeIn = Type.Optional(
  noteText(
    'What it is for, at most 500 characters. Your owner reads it.',
    'The weather for the trip to Pune',
  ),
)

const PageRequest = Type.Object(pageRequest)
export type PageRequest = Static<typeof PageRequest>

/** Whether the request asks the page for nothing but its content (RFC 9110, 9.2.1). */
export function isSafe({ method = 'GET' }: PageRequest): boolean {
  return method === 'GET'
}

/** The request as it is sent, after it was noted if it may act; refuses what HTTP does not allow. */
export async function preparedRequest(
  { beforeActing }: Wallet,
  tool: ToolName,
  request: PageRequest,
  signal: AbortSignal,
): Promise<RequestInit> {
  const init = initOf(request, signal)
  const { method = 'GET', url } = request
  if (!isSafe(request)) await beforeActing({ tool, method, host: new URL(url).host })
  return init
}

function initOf({ method = 'GET', headers = {}, body }: PageRequest, signal: AbortSignal): RequestInit {
  if (method === 'GET' && body !== undefined)
    throw unsendable('body', 'A GET request has no body; name another method, or leave out the body')
  if (!areHeaders(headers))
    throw unsendable(
      'headers',
      'A header has a name or a value that HTTP does not allow, or belongs to the connection',
    )
  return { method, headers, signal, ...(body === undefined ? {} : { body }) }
}

/** They belong to one connection (RFC 9110, 7.6.1), or say where the request goes and how long it is. */
const OF_THE_CONNECTION =
  /^(?:connection|content-length|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/

function areHeaders(headers: Readonly<Record<string, string>>): boolean {
  try {
    return [...new Headers(headers).keys()].every(name => !OF_THE_CONNECTION.test(name))
  } catch {
    return false
  }
}

function unsendable(field: 'body' | 'headers', message: string): ToolRefusal {
  return new ToolRefusal({ code: 'validation_error', message, field })
}

/** The name by which purchases of `fetch_paid_url` are found again. */
const CLIENT = 'fetch_paid_url'

/** What the payment of a page says about it. Without the query, which may contain what only the seller should know. */
export function contextOf(url: string, purpose: string | undefined) {
  return { url: pageOf(url), client: CLIENT, ...(purpose === undefined ? {} : { purpose }) }
}

export function isPaidUrl(context: Payment['context']): boolean {
  return context?.client === CLIENT
}

/** Whether money was paid or set aside for this page. */
export function isFor(url: string, { context }: Pick<Payment, 'context'>): boolean {
  return isPaidUrl(context) && context?.url === pageOf(url)
}

function pageOf(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}

/** The wallet's `fetch`, whose failures are refusals. */
export function pageFetch({ fetch }: Wallet): typeof fetch {
  return async (input, init) => {
    try {
      return await fetch(input, init)
    } catch (error) {
      if (init?.signal?.aborted === true) throw error
      throw unreachable(error)
    }
  }
}

function unreachable(error: unknown): ToolRefusal {
  const isRefused = error instanceof NoResponse && error.isRefused
  const why = error instanceof NoResponse ? error.message : 'The request could not be sent'
  return new ToolRefusal({ code: isRefused ? 'url_refused' : 'url_unreachable', message: why, field: 'url' })
}

/** What a model learns of a call that did not end in time. */
interface AfterTimeout {
  readonly hint: string
  readonly next_tool: ToolName | null
}

/** Runs a call that waits for pages, with its time limit. */
export async function withinPageTime<T>(
  signal: AbortSignal,
  { hint, next_tool }: AfterTimeout,
  work: (ending: AbortSignal) => Promise<T>,
): Promise<T> {
  const timeUp = AbortSignal.timeout(PAGE_TIMEOUT_MS)
  try {
    return await work(AbortSignal.any([signal, timeUp]))
  } catch (error) {
    if (signal.aborted || !timeUp.aborted) throw error
    const message = `It was not done within ${PAGE_TIMEOUT_MS / 1000} s; ${hint}`
    throw new ToolRefusal({ code: 'timeout', message, next_tool })
  }
}

/** The body of a page as a model can read it. */
export async function readPage(response: Response) {
  const contentType = response.headers.get('content-type')
  const { bytes, isWhole } = await readAtMost(response, MAX_PAGE_BYTES)
  const isText = contentType === null || TEXT.test(contentType)
  return {
    content_type: contentType,
    body: isText ? new TextDecoder().decode(bytes) : bytes.toString('base64'),
    body_encoding: isText ? 'text' : 'base64',
    truncated: !isWhole,
  } as const
}

const TEXT = /^(?:text\/|[^;]*\b(?:json|xml|javascript|x-www-form-urlencoded|yaml|csv)\b)/i

/** Ends a response whose body nobody reads. */
export async function discard(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => undefined)
}
