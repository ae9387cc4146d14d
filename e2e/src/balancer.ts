import { setTimeout as delay } from 'node:timers/promises'
import { isReady, type Service } from './service.ts'

/** A response that no client may get while nodes are replaced. */
export interface Refusal {
  readonly node: string
  readonly request: string
  readonly response: string
}

/** Spreads requests over the nodes whose `/readyz` says that they are ready, as a load balancer does. */
export interface Balancer {
  readonly fetch: typeof fetch
  readonly refusals: readonly Refusal[]
  /** How many requests each node has responded to, by the name that it was added with. */
  readonly served: ReadonlyMap<string, number>
  add(name: string, service: Service): void
  /** Takes no requests to a node any more. */
  remove(name: string): void
  close(): Promise<void>
}

const ASKED_EVERY_MS = 50

export function openBalancer(): Balancer {
  const nodes = new Map<string, Service>()
  const ready = new Set<string>()
  const refusals: Refusal[] = []
  const served = new Map<string, number>()
  const closing = new AbortController()
  let turn = 0

  async function watch(): Promise<void> {
    while (!closing.signal.aborted) {
      await Promise.all(
        [...nodes].map(async ([name, { address }]) => {
          if ((await isReady(address)) && nodes.has(name)) ready.add(name)
          else ready.delete(name)
        }),
      )
      await delay(ASKED_EVERY_MS)
    }
  }
  const watching = watch()

  async function send(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
    const names = [...ready]
    const name = names[turn++ % names.length]
    const node = name === undefined ? undefined : nodes.get(name)
    if (name === undefined || node === undefined) throw new TypeError('no node is ready')
    const { pathname, search } = new URL(input instanceof Request ? input.url : input)
    const response = await fetch(node.address + pathname + search, init)
    served.set(name, (served.get(name) ?? 0) + 1)
    if (!response.ok) {
      const text = await response.clone().text()
      const request = `${init?.method ?? 'GET'} ${pathname}`
      refusals.push({ node: name, request, response: `${response.status} ${text}` })
    }
    return response
  }

  return {
    fetch: send,
    refusals,
    served,
    add(name, service) {
      nodes.set(name, service)
      ready.add(name)
    },
    remove(name) {
      nodes.delete(name)
      ready.delete(name)
    },
    async close() {
      closing.abort()
      await watching
    },
  }
}
