import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { EXIT, Failure, unreachable, usage, wasUnreached } from '../failure.ts'
import type { Session } from '../session.ts'

export interface FetchOptions {
  readonly request?: string
  readonly header: readonly string[]
  readonly data?: string
  readonly output?: string
  readonly include?: boolean
  readonly maxAmount: number
  readonly pay: boolean
  readonly allowHttp?: boolean
  readonly payee?: readonly string[]
}

export function urlFrom(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol))
    throw usage('The address must begin with https:// or http://')
  if (url.username !== '' || url.password !== '')
    throw usage('The address must not contain a user or password')
  return url
}

export async function requestFrom(session: Session, options: FetchOptions): Promise<RequestInit> {
  const headers = new Headers({ 'user-agent': 'batua-cli' })
  for (const header of options.header) {
    const [, name = '', value = ''] = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*)$/.exec(header) ?? []
    // A header is bytes: other letters than those of Latin-1 have to be encoded somehow.
    if (name === '' || /[^\t\x20-\xff]/.test(value)) throw usage('A header is like "Accept: text/csv"')
    headers.set(name, value)
  }
  const body = options.data === undefined ? null : await dataFrom(session, options.data)
  if (body !== null && !headers.has('content-type')) headers.set('content-type', contentTypeOf(body))
  const method = (options.request ?? (body === null ? 'GET' : 'POST')).toUpperCase()
  if (!/^[A-Z-]+$/.test(method) || NOT_SENT.has(method)) throw usage(`There is no request ${method}`)
  if (body !== null && BODILESS.has(method)) throw usage(`A ${method} request has no body`)
  return { method, headers, body, signal: session.signal }
}

const BODILESS = new Set(['GET', 'HEAD'])
/** They are for proxies, and `fetch` does not send them. */
const NOT_SENT = new Set(['CONNECT', 'TRACE', 'TRACK'])

async function dataFrom({ stdin }: Session, data: string): Promise<string> {
  if (data === '@-') return text(stdin)
  if (!data.startsWith('@')) return data
  return readFile(data.slice(1), 'utf8').catch(() => {
    throw usage(`${data.slice(1)} cannot be read`)
  })
}

function contentTypeOf(body: string): string {
  return /^\s*[{[]/.test(body) ? 'application/json' : 'application/x-www-form-urlencoded'
}

/** No response to a request that cost nothing. One that may have changed something cannot be repeated without thought. */
export function noResponse(url: URL, { method = 'GET' }: RequestInit, error: unknown): unknown {
  if (!(error instanceof TypeError)) return error
  const failed = unreachable(url.href, error)
  if (wasUnreached(error) || method === 'GET' || method === 'HEAD') return failed
  const message = `${failed.message}. Nothing was paid, but it may have done what was asked`
  return new Failure({ exit: EXIT.unknown, code: failed.code, message, details: { outcome: 'unknown' } })
}
