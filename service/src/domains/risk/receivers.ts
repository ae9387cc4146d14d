import type { Queryable } from '../../db/database.ts'
import { firstUuidAt, type Uuid } from '../../kernel/ids.ts'
import type { ThresholdsOf } from './rules.ts'
import { MINUTE_MS, momentOf } from './scope.ts'
import { type Stretch, selectReceivers } from './stretch-store.ts'

/** Beyond this many receivers nobody is left out. */
const MAX_RECEIVERS = 100_000
/** One statement reads this much of the book. */
const SPAN_MS = MINUTE_MS

/** Who got a larger payment lately, as far as this process has read the book. */
interface Seen {
  readonly minAmountPaise: number
  readonly fromId: Uuid
  readonly untilId: Uuid
  /** The newest such payment of each. */
  readonly newest: Map<Uuid, Uuid>
}

/** The agents that may have passed money on within a stretch; null: anybody may. */
export type ReceiversReader = (
  tx: Queryable,
  stretch: Stretch,
  thresholds: ThresholdsOf<'pass_through'>,
) => Promise<ReadonlySet<Uuid> | null>

/**
 * Money passes through with a payment soon after a larger one came in. Under heavy load it is cheap to know who got
 * one, which takes the new part of the book only, and dear to read what came in for each payer. What is remembered
 * was settled when it was read, so it stays true whoever moves the cursor and whatever is rolled back.
 */
export function openReceiversReader(): ReceiversReader {
  let seen: Seen | null = null
  return async (tx, stretch, { minAmountPaise, outMinutes }) => {
    if (!stretch.isBusy) return null
    const fromId = firstUuidAt(new Date(momentOf(stretch.firstId) - outMinutes * MINUTE_MS))
    const known: Seen =
      seen !== null && covers(seen, minAmountPaise, fromId)
        ? seen
        : { minAmountPaise, fromId, untilId: fromId, newest: new Map() }
    for (let afterId = known.untilId; afterId < stretch.lastId; ) {
      const end = firstUuidAt(new Date(momentOf(afterId) + SPAN_MS))
      const lastId = end < stretch.lastId ? end : stretch.lastId
      for (const { agentId, newestId } of await selectReceivers(tx, { afterId, lastId }, minAmountPaise)) {
        known.newest.set(agentId, newestId)
      }
      afterId = lastId
    }
    for (const [agentId, newestId] of known.newest) if (newestId < fromId) known.newest.delete(agentId)
    const isTooMany = known.newest.size > MAX_RECEIVERS
    seen = isTooMany ? null : { ...known, fromId, untilId: stretch.lastId }
    return isTooMany ? null : new Set(known.newest.keys())
  }
}

function covers(seen: Seen, minAmountPaise: number, fromId: Uuid): boolean {
  return seen.minAmountPaise === minAmountPaise && seen.fromId <= fromId && fromId <= seen.untilId
}
