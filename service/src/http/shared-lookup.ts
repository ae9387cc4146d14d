import { hash } from 'node:crypto'
import type { Authenticators } from './caller.ts'
import type { MaybePromise } from './maybe-promise.ts'

/** Looks up whose a credential is. */
type LookUp<Found> = (credential: string) => MaybePromise<Found>

interface Pending<Found> {
  /** Has been sent to the database, so it may miss what changed since. */
  readonly running: Promise<Found>
  /** Begins when `running` has ended; whoever comes now shares it. */
  next: Promise<Found> | null
}

/**
 * Of many requests with one credential at once, one look-up runs and one waits; all that came before the second begins
 * share its answer. So a crowd costs one connection, and a credential that was replaced before a request came is never
 * found valid: no request shares a look-up that began before it. Keyed by digests, so that no secret stays in memory.
 */
export function sharedLookUp<Found>(lookUp: LookUp<Found>): LookUp<Found> {
  const pending = new Map<string, Pending<Found>>()

  function begin(key: string, running: Promise<Found>): Promise<Found> {
    const entry: Pending<Found> = { running, next: null }
    pending.set(key, entry)
    const end = () => {
      if (pending.get(key) === entry && entry.next === null) pending.delete(key)
    }
    running.then(end, end)
    return running
  }

  return credential => {
    const key = hash('sha256', credential, 'hex')
    const entry = pending.get(key)
    if (entry === undefined) {
      const found = lookUp(credential)
      return found instanceof Promise ? begin(key, found) : found
    }
    const again = () => begin(key, Promise.resolve(lookUp(credential)))
    entry.next ??= entry.running.then(again, again)
    return entry.next
  }
}

/**
 * Lets requests that come at once with one credential ask for it together. Platforms share what is stored of their
 * secrets by themselves, because each wrong secret of theirs counts.
 */
export function withSharedLookUps({ platform, agent, owner, admin }: Authenticators): Authenticators {
  return {
    platform,
    agent: sharedLookUp(agent),
    ...(owner === undefined ? {} : { owner: sharedLookUp(owner) }),
    ...(admin === undefined ? {} : { admin: sharedLookUp(admin) }),
  }
}
