/**
 * What the nodes asked the world of banks to do, in order: for proving that nothing whose fate was unknown was sent
 * again before it was asked about.
 */
export interface RequestDiary {
  /** A request with an effect, under our name of it. */
  sent(kind: RequestKind, id: string, content: string): void
  /** Somebody asked about it and heard that it is not known there. */
  heardUnknown(kind: RequestKind, id: string): void
  /** Requests that were sent more than once. */
  readonly repeated: () => number
  /** What must never have happened. */
  readonly offences: readonly string[]
}

export type RequestKind = 'order' | 'refund' | 'payout'

interface Sent {
  readonly content: string
  times: number
  mayRepeat: boolean
}

export function openRequestDiary(): RequestDiary {
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
      else if (!before.mayRepeat) offences.push(`${name} was sent again and not asked about before`)
      if (before.content !== content) offences.push(`${name} was sent again with other content`)
      before.times++
      before.mayRepeat = false
    },
    heardUnknown(kind, id) {
      const before = known.get(`${kind} ${id}`)
      if (before !== undefined) before.mayRepeat = true
    },
  }
}
