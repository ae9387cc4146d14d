/**
 * The requests of the nodes to the simulated banks, in order: to prove that no request with an unknown outcome was sent
 * again before its status was queried.
 */
export interface RequestLog {
  /** A request with an effect, by our id. */
  sent(kind: RequestKind, id: string, content: string): void
  /** A status query whose response was that the id is unknown. */
  foundUnknown(kind: RequestKind, id: string): void
  /** Requests that were sent more than once. */
  readonly repeated: () => number
  /** Requests that were sent again without a query. */
  readonly offences: readonly string[]
}

export type RequestKind = 'order' | 'refund' | 'payout'

interface Sent {
  readonly content: string
  times: number
  mayRepeat: boolean
}

export function openRequestLog(): RequestLog {
  const known = new Map<string, Sent>()
  const offences: string[] = []
  return {
    offences,
    repeated: () => [...known.values()].filter(({ times }) => times > 1).length,
    sent(kind, id, content) {
      const name = `${kind} ${id}`
      const before = known.get(name)
      if (before === undefined) {
        known.set(name, { content, times: 1, mayRepeat: false })
        return
      }
      if (kind === 'order') offences.push(`${name} was created a second time`)
      else if (!before.mayRepeat)
        offences.push(`${name} was sent again and its status was not queried before`)
      if (before.content !== content) offences.push(`${name} was sent again with other content`)
      before.times++
      before.mayRepeat = false
    },
    foundUnknown(kind, id) {
      const before = known.get(`${kind} ${id}`)
      if (before !== undefined) before.mayRepeat = true
    },
  }
}
