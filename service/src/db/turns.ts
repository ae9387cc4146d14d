import { type FairShare, openFairShare, PATIENCE } from './fair-share.ts'
import type { WorkOrigin } from './work-origin.ts'

/** Runs transactions of this process on the same rows one after the other; a waiting one has no connection. */
export interface Turns {
  /**
   * Runs the work when no other work runs on any of these keys. Parties take turns; administrators and stops come first.
   * Rejects with DatabaseBusy when the work waits too long or too much work of one party waits.
   */
  take<T>(keys: readonly string[], origin: WorkOrigin, work: () => Promise<T>): Promise<T>
}

/** The one place of a key. It is kept while work on the key runs or waits. */
interface Place {
  readonly share: FairShare
  users: number
}

/**
 * Of many requests that need the lock of one row, all but the first would hold a connection only to wait. Here they wait
 * without one, and a caller waits for at most one request of each other caller. Several keys are taken in sorted order,
 * so that there is no deadlock. Between nodes the locks of the database decide, with at most one connection of each node
 * for each key.
 */
export function openTurns(): Turns {
  const places = new Map<string, Place>()

  async function enter(key: string, party: string): Promise<void> {
    const place = places.get(key) ?? { share: openFairShare(ONE_PLACE), users: 0 }
    places.set(key, place)
    place.users += 1
    try {
      await place.share.enter(party)
    } catch (error) {
      forget(key, place)
      throw error
    }
  }

  function leave(key: string, party: string): void {
    const place = places.get(key)
    if (place === undefined) return
    place.share.leave(party)
    forget(key, place)
  }

  function forget(key: string, place: Place): void {
    place.users -= 1
    if (place.users === 0) places.delete(key)
  }

  return {
    async take(keys, origin, work) {
      const party = origin.purpose === 'shared' ? origin.party : URGENT + origin.party
      const taken: string[] = []
      try {
        for (const key of [...new Set(keys)].toSorted()) {
          await enter(key, party)
          taken.push(key)
        }
        return await work()
      } finally {
        for (const key of taken) leave(key, party)
      }
    },
  }
}

const URGENT = 'urgent '

const ONE_PLACE = {
  ...PATIENCE,
  places: 1,
  mostOf: () => 1,
  isUrgent: (party: string) => party.startsWith(URGENT),
  shared: 'turn on the same row',
}
