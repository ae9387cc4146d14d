import { type Api, ROUTES } from '../api/routes.ts'
import { ownError } from './own-error.ts'

/** What a method of the client was given. */
export type Input = Readonly<Record<string, unknown>>

/** A call as it goes on the wire. */
export interface PreparedRequest {
  readonly method: string
  /** Address below the service's own. */
  readonly path: string
  readonly body: string | null
}

const ROUTE = /^(\w+) ([^?=]+)(?:\?([\w,]+))?(?:=(\w+))?$/

/** Sorts an input into path, query and body as the route has them. */
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
  }
}

/** One segment of an address. Dots alone would climb to another route, encoded or not. */
function segmentOf(operation: string, name: string, value: unknown): string {
  const text = typeof value === 'string' ? value : ''
  if (text === '' || text === '.' || text === '..') throw badInput(`${operation} needs ${name}`, name)
  try {
    return encodeURIComponent(text)
  } catch {
    throw badInput(`${name} is not well-formed text`, name)
  }
}

/** What the service would say to it, said before it is asked. */
export function badInput(message: string, field: string): Error {
  return ownError('validation_error', message, { field })
}
