import type { Queryable } from '../../../db/database.ts'
import { firstUuidAt, type Uuid } from '../../../kernel/ids.ts'
import type { ThresholdsOf } from '../rules.ts'
import { MINUTE_MS, momentOf } from '../scope.ts'
import { type Stretch, selectReceivers } from './stretch-store.ts'

/** With more receivers than this, no payer is skipped. */
const MAX_RECEIVERS = 100_000
/** One statement reads the transfers of this much time. */
const SPAN_MS = MINUTE_MS

/** The agents that recently received a larger payment, as far as this process has read the ledger. */
interface Seen {
  readonly minAmountPaise: number
  readonly fromId: Uuid
  readonly untilId: Uuid
  /** The newest such payment to each. */
  readonly newest: Map<Uuid, Uuid>
}

/** The agents that may have passed money on within a stretch; null: any agent. */
export type ReceiversReader = (
  tx: Queryable,
  stretch: Stretch,
  thresholds: ThresholdsOf<'pass_through'>,
) => Promise<ReadonlySet<Uuid> | null>

/**
 * Money passes through if an agent pays soon after it received a larger payment. Under heavy load it is cheap to find
 * the receivers, because only new transfers are read, and expensive to read the incoming payments of each payer. The
 * transfers had committed when they were read, so the cached result stays true if another node moves the cursor or this
 * transaction rolls back.
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
