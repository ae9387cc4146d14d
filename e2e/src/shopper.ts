import { type ResponseOf, routes } from '@batua/contract'
import { createClient, type Journal, memoryJournal, type PayingFetchOptions } from '@batua/sdk'
import { createPayingFetch } from '../../sdk/src/buyer/paying-fetch.ts'
import type { Agent, Network } from './network.ts'
import type { PayingStage } from './paying-stage.ts'

type Payment = ResponseOf<typeof routes.listPayments>['payments'][number]

/** What happens to a call of the service: the request or the response is lost, or a proxy responds instead. */
export type Loss = 'request' | 'response' | (() => Response)

/** An agent with 975 INR and a fetch that pays. */
export interface Shopper {
  readonly agent: Agent
  readonly buy: typeof fetch
  readonly journal: Journal
  /** What happens to the next calls, by the last part of their path, and to queries of an approval. */
  readonly losses: Record<'pay' | 'payments' | 'approvals', Loss[]>
  /** Unix milliseconds. */
  readonly clock: { now: number }
  /** Its waits in milliseconds; only its clock advances. */
  readonly waits: number[]
  /** What happens during its waits, in order. */
  readonly whileWaiting: (() => Promise<unknown>)[]
  payments(): Promise<Payment[]>
}

export interface ShopperOptions extends Partial<PayingFetchOptions> {
  /** Of the agent. */
  readonly extras?: Parameters<Network['fundedAgent']>[1]
  /** An existing agent. */
  readonly agent?: Agent
  /** The fetch for its requests to sellers. */
  readonly fetch?: typeof fetch
}

export async function openShopper(
  { api, network, owner }: PayingStage,
  { extras, agent: known, fetch: fetchFromSeller = fetch, ...options }: ShopperOptions = {},
): Promise<Shopper> {
  const agent = known ?? (await network.fundedAgent(owner, extras))
  const losses: Shopper['losses'] = { pay: [], payments: [], approvals: [] }
  const clock = { now: Date.now() }
  const [waits, whileWaiting]: [number[], Shopper['whileWaiting']] = [[], []]
  const { journal = memoryJournal() } = options
  const time = {
    now: () => clock.now,
    async wait(delayMs: number, signal?: AbortSignal) {
      signal?.throwIfAborted()
      waits.push(delayMs)
      clock.now += delayMs
      await whileWaiting.shift()?.()
    },
  }
  const lossy = losingFetch(losses)
  const client = createClient({ baseUrl: api.address, agentKey: agent.key, fetch: lossy, maxRetries: 0 })
  const terms = { client, maxAmount: 100, allowHttp: true, ...options, journal }
  return {
    agent,
    buy: createPayingFetch(fetchFromSeller, terms, time),
    journal,
    losses,
    clock,
    waits,
    whileWaiting,
    async payments() {
      const [params, query] = [{ agent_id: agent.id }, { limit: 100 }]
      return (await api.ok(routes.listPayments, { params, headers: agent.headers, query })).payments
    },
  }
}

function losingFetch(losses: Shopper['losses']): typeof fetch {
  return async (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input)
    const [, route] = /\/(pay|payments|approvals)(?:\/apr_\w+)?$/.exec(pathname) ?? []
    const loss = route === undefined ? undefined : losses[route as keyof Shopper['losses']].shift()
    if (typeof loss === 'function') return loss()
    if (loss === 'request') throw new TypeError('fetch failed')
    const response = await fetch(input, init)
    if (loss === 'response') throw new TypeError('fetch failed')
    return response
  }
}
