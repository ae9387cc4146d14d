import { assert } from '../kernel/assert.ts'
import { DatabaseBusy } from './errors.ts'
import { SERVICE_PARTY } from './work-origin.ts'

/** A number of places, shared fairly between parties. */
export interface FairShare {
  /** Resolves when this party has a place; rejects with DatabaseBusy when it waits too long or too many wait. */
  enter(party: string): Promise<void>
  /** Releases a place. */
  leave(party: string): void
}

export interface FairShareOptions {
  readonly places: number
  /** The maximum number of places of a party. */
  readonly mostOf: (party: string) => number
  /** The maximum number of waiting requests of a party; more are refused at once. */
  readonly maxWaiting: (party: string) => number
  readonly maxWaitMs: (party: string) => number
  /** Parties that get a free place before all others. */
  readonly isUrgent?: (party: string) => boolean
  /** What they share, for the message of a refusal. */
  readonly shared: string
}

const MAX_WAITING = 1_000
const MAX_WAIT_MS = 5_000
/** No caller waits for a job, so it may wait longer. */
const MAX_WAIT_OF_SERVICE_MS = 60_000

/** How long requests of callers and of the service itself wait, and how many of them. */
export const PATIENCE: Pick<FairShareOptions, 'maxWaiting' | 'maxWaitMs'> = {
  // Jobs take bounded batches, so the number of waiting requests of the service itself has no bound.
  maxWaiting: party => (party === SERVICE_PARTY ? Number.POSITIVE_INFINITY : MAX_WAITING),
  maxWaitMs: party => (party === SERVICE_PARTY ? MAX_WAIT_OF_SERVICE_MS : MAX_WAIT_MS),
}

interface Waiter {
  readonly admit: () => void
  expired: boolean
}

interface Party {
  readonly name: string
  readonly most: number
  readonly isUrgent: boolean
  inUse: number
  /** The oldest first; expired ones are skipped. */
  readonly queue: Waiter[]
  waiting: number
}

/** The parties that have a place or wait for one. */
interface Parties {
  find(name: string): Party
  /** Sets how many places a party has and how many of its requests wait. */
  change(party: Party, inUse: number, waiting: number): void
  /** The next party: an urgent one, or the one with the fewest places; among equals the one that waits longest. */
  next(): Party | undefined
}

function openParties(mostOf: (party: string) => number, isUrgent: (party: string) => boolean): Parties {
  const known = new Map<string, Party>()
  // Waiting parties below their maximum: first the urgent ones, then by the number of their places. Each set is in the
  // order of its turns.
  const eligible: Set<Party>[] = []

  function equalsOf(party: Party): Set<Party> {
    const rank = party.isUrgent ? 0 : 1 + party.inUse
    const found = eligible[rank]
    if (found !== undefined) return found
    const created = new Set<Party>()
    eligible[rank] = created
    return created
  }
  return {
    find(name) {
      const found = known.get(name)
      if (found !== undefined) return found
      const party: Party = {
        name,
        most: mostOf(name),
        isUrgent: isUrgent(name),
        inUse: 0,
        queue: [],
        waiting: 0,
      }
      known.set(name, party)
      return party
    },
    change(party, inUse, waiting) {
      const isEligible = waiting > 0 && inUse < party.most
      if (!isEligible || inUse !== party.inUse) equalsOf(party).delete(party)
      party.inUse = inUse
      party.waiting = waiting
      if (isEligible) equalsOf(party).add(party)
      if (inUse === 0 && waiting === 0) known.delete(party.name)
    },
    next() {
      for (const set of eligible) {
        for (const party of set ?? []) return party
      }
      return undefined
    },
  }
}

/**
 * A free place goes to the party with the fewest places, and among equals to the one that waits longest. So a caller with
 * one request waits for one place to become free, however many requests others have queued. No party gets more than its
 * maximum, even while places are free, because work in progress cannot be interrupted when others come.
 */
export function openFairShare({
  places,
  mostOf,
  maxWaiting,
  maxWaitMs,
  isUrgent = () => false,
  shared,
}: FairShareOptions): FairShare {
  const parties = openParties(mostOf, isUrgent)
  let free = places

  function admitNext(): void {
    while (free > 0) {
      const party = parties.next()
      if (party === undefined) return
      const waiter = nextLiving(party.queue)
      parties.change(party, party.inUse + 1, party.waiting - 1)
      free -= 1
      waiter.admit()
    }
  }

  function wait(party: Party): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        expired: false,
        admit() {
          clearTimeout(timer)
          resolve()
        },
      }
      const timer = setTimeout(() => {
        waiter.expired = true
        parties.change(party, party.inUse, party.waiting - 1)
        if (party.waiting === 0) party.queue.length = 0
        reject(new DatabaseBusy(`No ${shared} became free in time`))
      }, maxWaitMs(party.name))
      party.queue.push(waiter)
      parties.change(party, party.inUse, party.waiting + 1)
    })
  }

  return {
    enter(name) {
      const party = parties.find(name)
      if (free > 0 && party.inUse < party.most && party.waiting === 0) {
        free -= 1
        parties.change(party, party.inUse + 1, 0)
        return ENTERED
      }
      if (party.waiting < maxWaiting(name)) return wait(party)
      return Promise.reject(new DatabaseBusy(`Too many requests of one caller wait for a ${shared}`))
    },
    leave(name) {
      const party = parties.find(name)
      free += 1
      parties.change(party, party.inUse - 1, party.waiting)
      admitNext()
    },
  }
}

const ENTERED = Promise.resolve()

function nextLiving(queue: Waiter[]): Waiter {
  for (;;) {
    const waiter = queue.shift()
    assert(waiter !== undefined, 'a party that waits has a waiter')
    if (!waiter.expired) return waiter
  }
}
