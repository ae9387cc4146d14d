/** `hang`: takes what it is sent and never answers. */
export type Manner = 'answer' | 'hang'

export type ToReceiver =
  /** What webhooks are signed with from now on. */
  | { readonly kind: 'trust'; readonly secret: string }
  | { readonly kind: 'behave'; readonly manner: Manner }
  /** Starts a new count. */
  | { readonly kind: 'mark' }
  | { readonly kind: 'read' }

/** What a receiver has seen since it was marked, but for what is said to be of all its time. */
export interface ReceiverFigures {
  /** Webhooks answered, of all its time. */
  readonly total: number
  readonly counted: number
  readonly seconds: number
  /** Webhooks answered in each second, the last of which is not over. */
  readonly perSecond: readonly number[]
  /** From the time that an event bears to its arrival. */
  readonly p50Ms: number
  readonly p99Ms: number
  readonly longestMs: number
  /** Taken and not answered, of all its time. */
  readonly held: number
  /** Webhooks whose signature was checked, and those of them that were not signed with the secret; of all its time. */
  readonly checked: number
  readonly forged: number
  /** Not to be read as webhooks; of all its time. */
  readonly unreadable: number
  readonly connections: number
  readonly cpuSeconds: number
}

/** Each message has one answer. */
export type FromReceiver =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'done' }
  | { readonly kind: 'figures'; readonly figures: ReceiverFigures }
