import { type Api, DOWNLOADS, ROUTES } from '../api/routes.ts'
import { ownError } from './own-error.ts'

/** The input of a method of the client. */
export type Input = Readonly<Record<string, unknown>>

/** A call as an HTTP request. */
export interface PreparedRequest {
  readonly method: string
  /** The path below the service's address. */
  readonly path: string
  readonly body: string | null
  /** The response is a file of any length, which its reader takes as it comes. */
  readonly isDownload: boolean
}

const ROUTE = /^(\w+) ([^?=]+)(?:\?([\w,]+))?(?:=(\w+))?$/

/** Splits an input into path, query and body. */
export function prepareRequest(operation: keyof Api, input: Input): PreparedRequest {
  const [, method = '', template = '', queryNames, bodyName] = ROUTE.exec(ROUTES[operation]) ?? []
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined))
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const segment = segmentOf(operation, name, rest.get(name))
    rest.delete(name)
    return segment
  })
  const hasBody = method === 'POST' || method === 'PATCH'
  const query = new URLSearchParams()
  for (const name of hasBody ? (queryNames?.split(',') ?? []) : [...rest.keys()]) {
    if (rest.has(name)) query.set(name, String(rest.get(name)))
    rest.delete(name)
  }
  const search = query.toString()
  const body = bodyName === undefined ? Object.fromEntries(rest) : rest.get(bodyName)
  return {
    method,
    path: search === '' ? path : `${path}?${search}`,
    body: hasBody ? JSON.stringify(body) : null,
    isDownload: DOWNLOADS.has(operation),
  }
}

/** One segment of a path. Dots alone would lead to another route, encoded or not. */
function segmentOf(operation: string, name: string, value: unknown): string {
  const text = typeof value === 'string' ? value : ''
  if (text === '' || text === '.' || text === '..') throw badInput(`${operation} needs ${name}`, name)
  try {
    return encodeURIComponent(text)
  } catch {
    throw badInput(`${name} is not well-formed text`, name)
  }
}

/** The service's error for it, without a request. */
export function badInput(message: string, field: string): Error {
  return ownError('validation_error', message, { field })
}

/** What `requestStepUp` takes: the request that a passkey confirms. */
export interface StepUpRequest {
  /** Its method and path, such as `POST /v1/allowances`. */
  readonly action: string
  readonly body: Record<string, unknown>
}

/**
 * The input of `requestStepUp` for a call that was refused with `passkey_required`. Let the passkey sign the challenge that it
 * returns, and repeat the call with `stepUp: { challenge_id, response }`. The base URL of the client must have no path.
 */
export function stepUpFor(operation: keyof Api, input: Input): StepUpRequest {
  const { method, path, body } = prepareRequest(operation, input)
  return { action: `${method} ${path}`, body: body === null ? {} : JSON.parse(body) }
}
