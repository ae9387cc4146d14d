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
}

export function openApi(address: string): Api {
  return {
    async call<R extends Route>(route: R, call: ApiCall<R> = {}): Promise<ResponseOf<R>> {
      const answer = await fetch(address + pathOf(route, call), {
        method: route.method,
        headers: {
          ...call.headers,
          ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: call.body === undefined ? null : JSON.stringify(call.body),
      })
      const text = await answer.text()
      if (answer.status !== route.status)
        throw new Error(`${route.operationId} answered ${answer.status}: ${text}`)
      return JSON.parse(text) as ResponseOf<R>
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
