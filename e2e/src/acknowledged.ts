import { setTimeout as delay } from 'node:timers/promises'
import type { ErrorEnvelope, ResponseOf, Route } from '@batua/contract'
import pMap from 'p-map'
import { type Api, type CallOf, type Reply, type Sent } from './api.ts'

/** What was acknowledged to a client of one thing that it did, and how the service proves that it is so. */
export interface Acknowledged {
  readonly key: string
  /** Asks at any node, as often as one likes. */
  faults(ask: Client): Promise<readonly string[]>
}

/** A client that sends each request again, at the next node, until it knows the outcome. */
export interface Client {
  /** The response, which is no error of the service. */
  sure(route: Route, call: Sent): Promise<Reply>
  /** The body of a response that must be a success. */
  ok<R extends Route>(route: R, call: CallOf<R>): Promise<ResponseOf<R>>
  /** One attempt; null: no response, or an unknown outcome. */
  once(route: Route, call: Sent): Promise<Reply | null>
}

const PAUSE_MS = 20
const KNOWN_WITHIN_MS = 60_000
const AT_ONCE = { concurrency: 8 }

export function openClient(nodes: readonly Api[], first = 0): Client {
  let turn = first
  async function once(route: Route, call: Sent): Promise<Reply | null> {
    const node = nodes[turn++ % nodes.length] as Api
    // A browser names the node that it is at.
    const { headers = {} } = call
    const own = 'origin' in headers ? { ...headers, origin: node.address } : headers
    const reply = await node.send(route, { ...call, headers: own }).catch(() => null)
    return reply === null || reply.status >= 500 ? null : reply
  }
  async function sure(route: Route, call: Sent): Promise<Reply> {
    const deadline = Date.now() + KNOWN_WITHIN_MS
    for (;;) {
      const reply = await once(route, call)
      if (reply !== null) return reply
      if (Date.now() > deadline) throw new Error(`${route.operationId}: no outcome in ${KNOWN_WITHIN_MS} ms`)
      await delay(PAUSE_MS)
    }
  }
  return {
    sure,
    once,
    async ok(route, call) {
      const reply = await sure(route, call)
      if (reply.status !== 200 && reply.status !== 201) throw unexpected(route, reply)
      return reply.body as ResponseOf<typeof route>
    },
  }
}

/** The details of a refusal that says that it was done already, by an earlier attempt whose response was lost. */
export function doneBefore(route: Route, reply: Reply, code: string): Readonly<Record<string, unknown>> {
  const { error } = reply.body as ErrorEnvelope
  if (reply.status !== 409 || error.code !== code) throw unexpected(route, reply)
  return error.details ?? {}
}

export function unexpected({ operationId }: Route, { status, text }: Reply): Error {
  return new Error(`${operationId} got ${status} ${text}`)
}

/** What is not as it was acknowledged. */
export async function acknowledgedFaults(
  nodes: readonly Api[],
  all: readonly Acknowledged[],
): Promise<string[]> {
  const client = openClient(nodes)
  const faults = await pMap(
    all,
    async one => {
      const faults = await one.faults(client).catch(error => [String(error)])
      return faults.map(fault => `${one.key}: ${fault}`)
    },
    AT_ONCE,
  )
  return faults.flat()
}
