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
  /** The answer of a call that must succeed. */
  call<R extends Route>(route: R, call?: ApiCall<R>): Promise<ResponseOf<R>>
  /** The headers of a session that a call begins: its cookie, and where it is used from. */
  cookieOf<R extends Route>(route: R, call: ApiCall<R>): Promise<Headers>
}

export function openApi(address: string): Api {
  async function send<R extends Route>(route: R, call: ApiCall<R>): Promise<Response> {
    const answer = await fetch(address + pathOf(route, call), {
      method: route.method,
      headers: {
        ...call.headers,
        ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: call.body === undefined ? null : JSON.stringify(call.body),
    })
    if (answer.status === route.status) return answer
    throw new Error(`${route.operationId} answered ${answer.status}: ${await answer.text()}`)
  }
  return {
    async call<R extends Route>(route: R, call: ApiCall<R> = {}): Promise<ResponseOf<R>> {
      const answer = await send(route, call)
      return (await answer.json()) as ResponseOf<R>
    },
    async cookieOf(route, call) {
      const answer = await send(route, call)
      await answer.body?.cancel()
      const [cookie = ''] = (answer.headers.getSetCookie()[0] ?? '').split(';')
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
