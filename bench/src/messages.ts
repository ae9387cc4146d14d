import type { Group, Payee } from './loads.ts'

/** What the load generator needs to know of an agent. */
export interface Payer {
  readonly id: string
  readonly handle: string
  readonly key: string
}

/** Sent once: the service's address and the payers. */
export interface Introduction {
  readonly kind: 'introduction'
  readonly port: number
  readonly groups: Readonly<Record<Group, readonly Payer[]>>
}

/** Sent before the orders that name it: complete HTTP/1.1 requests, which are sent in turns. */
export interface Prepared {
  readonly kind: 'prepared'
  readonly name: string
  readonly texts: readonly string[]
}

/** The order for one measurement: payments of a group's agents, or the requests that were prepared under a name. */
export type Order = Timing &
  ({ readonly payee: Payee; readonly agents: Group } | { readonly prepared: string })

interface Timing {
  readonly kind: 'order'
  readonly connections: number
  /** Payments a second, however long the responses take; without it, as fast as responses come. */
  readonly perSecond?: number
  readonly warmUpMs: number
  readonly measureMs: number
}

export type ToGenerator = Introduction | Prepared | Order

/** The generator's results for one order. Milliseconds and seconds as the names say. */
export interface LoadReport {
  /** The actual length of the counting window. */
  readonly seconds: number
  /** Payments with response 200 within the window. */
  readonly counted: number
  /** Payments with response 200 in all, including before and after the window. */
  readonly paid: number
  /** All others, by HTTP status or as `lost`; over the whole order. */
  readonly refused: Readonly<Record<string, number>>
  /** The body of one refusal, to see why. */
  readonly refusal: string | null
  readonly p50Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
  /** The generator's own CPU time within the window. */
  readonly cpuSeconds: number
}

export type FromGenerator =
  | { readonly kind: 'introduced' }
  | { readonly kind: 'prepared' }
  /** The window starts now. */
  | { readonly kind: 'began' }
  /** The window has ended; payments in progress are still awaited. */
  | { readonly kind: 'ended' }
  | { readonly kind: 'report'; readonly report: LoadReport }
