/** `hang`: accepts webhooks and never responds. */
export type Manner = 'respond' | 'hang'

export type ToReceiver =
  /** The secret that signs webhooks from now on. */
  | { readonly kind: 'trust'; readonly secret: string }
  | { readonly kind: 'behave'; readonly manner: Manner }
  /** Starts a new count. */
  | { readonly kind: 'mark' }
  | { readonly kind: 'read' }

/** The receiver's counts since its last mark, except where they are since its start. */
export interface ReceiverFigures {
  /** Webhooks with a response, since its start. */
  readonly total: number
  readonly counted: number
  readonly seconds: number
  /** Webhooks with a response in each second; the last second is incomplete. */
  readonly perSecond: readonly number[]
  /** From the timestamp of an event to its arrival. */
  readonly p50Ms: number
  readonly p99Ms: number
  readonly longestMs: number
  /** Webhooks without a response, since its start. */
  readonly held: number
  /** Webhooks whose signature was checked, and those with an invalid signature; since its start. */
  readonly checked: number
  readonly forged: number
  /** Requests that are not webhooks; since its start. */
  readonly unreadable: number
  readonly connections: number
  readonly cpuSeconds: number
}

/** Each message has one reply. */
export type FromReceiver =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'done' }
  | { readonly kind: 'figures'; readonly figures: ReceiverFigures }
