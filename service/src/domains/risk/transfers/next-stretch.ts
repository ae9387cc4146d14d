import { firstUuidAt, type Uuid } from '../../../kernel/ids.ts'
import { momentOf } from '../scope.ts'

/** Heavy load is this many transfers within the length of an ordinary stretch. */
export const HEAVY_LOAD_TRANSFERS = 5_000
/**
 * A rule's window ends with the agent's newest payment of the stretch, so a stretch must be far shorter than a window.
 */
const ORDINARY_SPAN_MS = 10_000
/** Under heavy load a window may end this much too late, and each agent is evaluated once in this time. */
const BUSY_SPAN_MS = 60_000

/** The transfers behind the cursor that are old enough to be read. */
export interface UnreadTransfers {
  readonly next: Uuid
  /** The transfer `HEAVY_LOAD_TRANSFERS` behind the cursor; null if there are fewer. */
  readonly heavyLoadId: Uuid | null
}

/** The next stretch of the ledger. It ends before the transfer `below`. */
export interface NextStretch {
  readonly next: Uuid
  readonly below: Uuid
  readonly isBusy: boolean
}

/**
 * Decides which transfers are evaluated now. An agent costs the same for one payment as for all that it made within the
 * stretch. So under heavy load, when nearly every agent pays all the time, a stretch must first grow to a minute.
 * null: no stretch is due yet.
 */
export function decideNextStretch(
  { next, heavyLoadId }: UnreadTransfers,
  readableBelow: Uuid,
): NextStretch | null {
  const ordinaryEnd = spanEnd(next, ORDINARY_SPAN_MS)
  if (heavyLoadId === null || heavyLoadId >= ordinaryEnd) {
    return { next, below: ordinaryEnd < readableBelow ? ordinaryEnd : readableBelow, isBusy: false }
  }
  const below = spanEnd(next, BUSY_SPAN_MS)
  return below <= readableBelow ? { next, below, isBusy: true } : null
}

function spanEnd(next: Uuid, spanMs: number): Uuid {
  return firstUuidAt(new Date(momentOf(next) + spanMs))
}
