import { AsyncLocalStorage } from 'node:async_hooks'

/** Which connections a request may use. Each purpose has its own, so that none can take those of another. */
export type Purpose = 'shared' | 'administration' | 'stop'

/** For whom the database works: callers of one party share its places in the connection pool. */
export interface WorkOrigin {
  readonly purpose: Purpose
  /** A platform with all of its agents, one session, or one client address. */
  readonly party: string
}

/** What no request asked for: jobs, and the start of the service. */
export const SERVICE_PARTY = 'service'

const NO_REQUEST: WorkOrigin = { purpose: 'shared', party: SERVICE_PARTY }

const origins = new AsyncLocalStorage<WorkOrigin>()

/** Runs work, and whatever it goes on with later, on behalf of this party. */
export function onBehalfOf<Args extends unknown[], T>(
  origin: WorkOrigin,
  work: (...args: Args) => T,
  ...args: Args
): T {
  return origins.run(origin, work, ...args)
}

/** Runs work as the service's own, whichever request it was started by. */
export function asService<T>(work: () => T): T {
  return origins.run(NO_REQUEST, work)
}

export function currentOrigin(): WorkOrigin {
  return origins.getStore() ?? NO_REQUEST
}
