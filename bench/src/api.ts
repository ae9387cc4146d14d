import type { BodyOf, ResponseOf, Route } from '@batua/contract'

export type Headers = Readonly<Record<string, string>>

export interface ApiCall<R extends Route> {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: BodyOf<R>
  readonly headers?: Headers
}

/** The public interface of the service, for setting up and for checking. */
export interface Api {
  /** The response to a call that must succeed. */
  call<R extends Route>(route: R, call?: ApiCall<R>): Promise<ResponseOf<R>>
  /** The headers of a session that a call starts: its cookie and its origin. */
  cookieOf<R extends Route>(route: R, call: ApiCall<R>): Promise<Headers>
}

export function openApi(address: string): Api {
  async function send<R extends Route>(route: R, call: ApiCall<R>): Promise<Response> {
    const response = await fetch(address + pathOf(route, call), {
      method: route.method,
      headers: {
        ...call.headers,
        ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: call.body === undefined ? null : JSON.stringify(call.body),
    })
    if (response.status === route.status) return response
    throw new Error(`${route.operationId} returned ${response.status}: ${await response.text()}`)
  }
  return {
    async call<R extends Route>(route: R, call: ApiCall<R> = {}): Promise<ResponseOf<R>> {
      const response = await send(route, call)
      return (await response.json()) as ResponseOf<R>
    },
    async cookieOf(route, call) {
      const response = await send(route, call)
      await response.body?.cancel()
      const [cookie = ''] = (response.headers.getSetCookie()[0] ?? '').split(';')
      return { cookie, origin: address }
    },
  }
}

function pathOf<R extends Route>(route: R, { params = {}, query = {} }: ApiCall<R>): string {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  )
  const search = new URLSearchParams(query).toString()
  return search === '' ? path : `${path}?${search}`
}
