import type { Group, Payee } from './loads.ts'

/** An agent as the load generator needs it. */
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

/** One measurement to make. */
export interface Order {
  readonly kind: 'order'
  readonly connections: number
  readonly payee: Payee
  readonly agents: Group
  /** Payments a second, whatever the answers take; without it as many as are answered. */
  readonly perSecond?: number
  readonly warmUpMs: number
  readonly measureMs: number
}

export type ToGenerator = Introduction | Order

/** What the generator saw during one order. Milliseconds and seconds as the names say. */
export interface LoadReport {
  /** How long the counting window really was. */
  readonly seconds: number
  /** Payments answered with 200 within the window. */
  readonly counted: number
  /** Payments answered with 200 in all, before and after the window too. */
  readonly paid: number
  /** Everything else, by HTTP status or as `lost`; over the whole order. */
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
  /** The window begins now. */
  | { readonly kind: 'began' }
  /** The window ended; payments under way are still awaited. */
  | { readonly kind: 'ended' }
  | { readonly kind: 'report'; readonly report: LoadReport }
