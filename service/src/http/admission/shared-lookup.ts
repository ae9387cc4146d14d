import { hash } from 'node:crypto'
import type { Authenticators, MaybePromise } from '../caller.ts'

/** Looks up the caller of a credential. */
type LookUp<Found> = (credential: string) => MaybePromise<Found>

interface Pending<Found> {
  /** Was sent to the database, so it may miss later changes. */
  readonly running: Promise<Found>
  /** Begins when `running` has ended; requests that arrive meanwhile share it. */
  next: Promise<Found> | null
}

/**
 * Of many simultaneous requests with one credential, one look-up runs and one waits. All requests that arrive before the
 * second begins share its result. So they use one connection, and a credential that was replaced before a request arrived
 * is never found valid, because no request shares a look-up that began before it. Keyed by digests, so that no secret
 * stays in memory.
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
 * Makes simultaneous requests with one credential share its look-up. Platforms are excepted: they share the stored
 * secret, because each wrong secret counts. So are agents, whose look-ups share statements (see db/gathered.ts).
 */
export function withSharedLookUps({
  platform,
  agent,
  app,
  appCall,
  owner,
  admin,
  platformSession,
}: Authenticators): Authenticators {
  return {
    platform,
    agent,
    ...(app === undefined ? {} : { app: sharedLookUp(app) }),
    ...(appCall === undefined ? {} : { appCall }),
    ...(owner === undefined ? {} : { owner: sharedLookUp(owner) }),
    ...(admin === undefined ? {} : { admin: sharedLookUp(admin) }),
    ...(platformSession === undefined ? {} : { platformSession: sharedLookUp(platformSession) }),
  }
}
