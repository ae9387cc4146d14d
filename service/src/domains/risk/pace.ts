import { firstUuidAt, type Uuid } from '../../kernel/ids.ts'
import { momentOf } from './scope.ts'

/** So many transfers within the span of an ordinary stretch are heavy load. */
export const CROWD = 5_000
/** A window is looked at as it ends with an agent's newest payment of the stretch, so a stretch must be far shorter. */
const ORDINARY_SPAN_MS = 10_000
/** Under heavy load the windows' ends may lie this much too late, and each agent is evaluated this seldom. */
const BUSY_SPAN_MS = 60_000

/** The transfers that wait behind the cursor. */
export interface Waiting {
  readonly next: Uuid
  /** The one that lies `CROWD` behind it; null: so many do not wait. */
  readonly crowd: Uuid | null
}

/** Where the next stretch of the book ends; that transfer is not in it any more. */
export interface Pace {
  readonly next: Uuid
  readonly below: Uuid
  readonly isBusy: boolean
}

/**
 * How much of what waits is evaluated now. An agent costs the same for one payment as for all that it made within the
 * stretch; so under heavy load, where nearly every agent pays all the time, a stretch has to grow to a minute first.
 * Null: it is still growing.
 */
export function decidePace({ next, crowd }: Waiting, settledBelow: Uuid): Pace | null {
  const ordinaryEnd = spanEnd(next, ORDINARY_SPAN_MS)
  if (crowd === null || crowd >= ordinaryEnd) {
    return { next, below: ordinaryEnd < settledBelow ? ordinaryEnd : settledBelow, isBusy: false }
  }
  const below = spanEnd(next, BUSY_SPAN_MS)
  return below <= settledBelow ? { next, below, isBusy: true } : null
}

function spanEnd(next: Uuid, spanMs: number): Uuid {
  return firstUuidAt(new Date(momentOf(next) + spanMs))
}
