import { setTimeout as delay } from 'node:timers/promises'
import type { BodyOf, ErrorEnvelope, ResponseOf, Route } from '@batua/contract'

/** An error that ends the demo, shown in one sentence and without a stack. */
export class DemoError extends Error {}

export interface Call<R extends Route> {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | boolean>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: BodyOf<R>
}

export interface Refused {
  readonly status: number
  readonly error: ErrorEnvelope['error']
}

/** A client of the service, typed by the contract's routes. */
export interface Client {
  readonly address: string
  /** For programs that make requests themselves: their requests are printed too. */
  readonly fetch: typeof globalThis.fetch
  /** The response to a call that must succeed. */
  ok<R extends Route>(route: R, call?: Call<R>): Promise<ResponseOf<R>>
  /** The error of a call that must be refused. */
  refused<R extends Route>(route: R, call?: Call<R>): Promise<Refused>
  /** The headers of the session that a call starts: its cookie and its origin. */
  session<R extends Route>(route: R, call: Call<R>): Promise<Readonly<Record<string, string>>>
  /** Sends a call and closes the connection before its response is read. */
  loseResponse<R extends Route>(route: R, call: Call<R>): Promise<void>
}

export interface ClientOptions {
  /** `path` is the route's, with the names of its parameters. `status` is null if the response was lost. */
  readonly onCall: (method: string, path: string, status: number | null) => void
  readonly onWait: (seconds: number) => void
}

interface Reply {
  readonly status: number
  readonly body: unknown
  /** The cookie that the response sets, without attributes; empty if it sets none. */
  readonly cookie: string
}

function cookieIn(response: Response): string {
  const [cookie = ''] = (response.headers.getSetCookie()[0] ?? '').split(';')
  return cookie
}

const MAX_WAITS = 3
const DEFAULT_WAIT_S = 10

export function openClient(address: string, options: ClientOptions): Client {
  async function send<R extends Route>(route: R, call: Call<R>): Promise<Reply> {
    for (let waits = 0; ; waits++) {
      const response = await request(address, route, call)
      const body: unknown = await response.json()
      if (response.status !== 429 || waits === MAX_WAITS) {
        options.onCall(route.method, shownPath(route, call), response.status)
        return { status: response.status, body, cookie: cookieIn(response) }
      }
      // Repeated runs of the demo reach the rate limit of unauthenticated requests, which resets within a minute.
      const seconds = Number(response.headers.get('retry-after') ?? DEFAULT_WAIT_S)
      options.onWait(seconds)
      await delay(seconds * 1_000)
    }
  }
  return {
    address,
    async fetch(input, init) {
      const sent = new Request(input, init)
      const response = await fetch(sent)
      options.onCall(sent.method, unnamed(new URL(sent.url).pathname), response.status)
      return response
    },
    async ok<R extends Route>(route: R, call: Call<R> = {}): Promise<ResponseOf<R>> {
      const { status, body } = await send(route, call)
      if (status === route.status) return body as ResponseOf<R>
      throw new DemoError(`${route.method} ${route.path} responded with ${status}: ${messageOf(body)}`)
    },
    async refused<R extends Route>(route: R, call: Call<R> = {}): Promise<Refused> {
      const { status, body } = await send(route, call)
      if (status >= 400) return { status, error: (body as ErrorEnvelope).error }
      throw new DemoError(
        `${route.method} ${route.path} should have been refused, but responded with ${status}`,
      )
    },
    async session(route, call) {
      const { status, body, cookie } = await send(route, call)
      if (status === route.status && cookie !== '') return { cookie, origin: new URL(address).origin }
      throw new DemoError(`${route.method} ${route.path} began no session: ${messageOf(body)}`)
    },
    async loseResponse(route, call) {
      const response = await request(address, route, call)
      await response.body?.cancel()
      options.onCall(route.method, shownPath(route, call), null)
    },
  }
}

const DEFAULT_ADDRESS = 'http://localhost:8080'

/** The address of the service: BASE_URL without trailing slashes, or the default of `npm start`. */
export function addressIn(baseUrl: string | undefined): string {
  const text = baseUrl || DEFAULT_ADDRESS
  const protocol = URL.parse(text)?.protocol
  if (protocol === 'http:' || protocol === 'https:') return text.replace(/\/+$/, '')
  throw new DemoError(`BASE_URL is not an address such as ${DEFAULT_ADDRESS}.`)
}

/** Checks that a service in sandbox mode responds there; throws a `DemoError` that says what to do if not. */
export async function requireSandbox(address: string): Promise<void> {
  const ready = await ask(`${address}/readyz`, {})
  if (ready.status !== 200)
    throw new DemoError(`The service at ${address} is not ready; try again in a moment.`)
  const response = await ask(`${address}/openapi.json`, {})
  if (!(await response.text()).includes('/sandbox/')) {
    throw new DemoError(
      `The service at ${address} is in live mode. The demo needs sandbox mode, where no money is real.`,
    )
  }
}

function request<R extends Route>(address: string, route: R, call: Call<R>): Promise<Response> {
  const { body, headers = {} } = call
  return ask(address + pathOf(route, call), {
    method: route.method,
    headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

async function ask(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch (cause) {
    const { origin } = new URL(url)
    throw new DemoError(
      `No service responds at ${origin}. Start one with \`npm start\`, or set BASE_URL to where yours is.`,
      { cause },
    )
  }
}

function pathOf<R extends Route>(route: R, { params = {}, query = {} }: Call<R>): string {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => params[name] ?? '')
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
  return search.size === 0 ? path : `${path}?${search.toString()}`
}

const SHOWN_LENGTH = 8

function shownPath<R extends Route>(route: R, { query = {} }: Call<R>): string {
  const search = Object.entries(query).map(([name, value]) => {
    const text = String(value)
    return `${name}=${text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text}`
  })
  return search.length === 0 ? route.path : `${route.path}?${search.join('&')}`
}

/** A path for output, without its ids. */
function unnamed(pathname: string): string {
  return pathname.replaceAll(/\/[a-z]+_[0-9a-z]{26}/g, '/…')
}

function messageOf(body: unknown): string {
  return (body as Partial<ErrorEnvelope>).error?.message ?? JSON.stringify(body)
}
