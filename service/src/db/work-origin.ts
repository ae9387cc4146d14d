import { AsyncLocalStorage } from 'node:async_hooks'
import type { Span } from '../kernel/tracing.ts'

/** Which connections a request may use. Each purpose has its own. */
export type Purpose = 'shared' | 'administration' | 'stop'

/** On whose behalf the database works. Callers of one party share its places in the connection pool. */
export interface WorkOrigin {
  readonly purpose: Purpose
  /** A platform with all of its agents, one session, or one client address. */
  readonly party: string
  /** The span of the request; absent or null: it is not traced. */
  readonly span?: Span | null
}

/** Work without a request: jobs, and the start of the service. */
export const SERVICE_PARTY = 'service'

const NO_REQUEST: WorkOrigin = { purpose: 'shared', party: SERVICE_PARTY }

const origins = new AsyncLocalStorage<WorkOrigin>()

/** Runs work, with all asynchronous work that it starts, on behalf of this party. */
export function onBehalfOf<Args extends unknown[], T>(
  origin: WorkOrigin,
  work: (...args: Args) => T,
  ...args: Args
): T {
  return origins.run(origin, work, ...args)
}

/** Runs work on behalf of the service, whichever request started it. */
export function asService<T>(work: () => T): T {
  return origins.run(NO_REQUEST, work)
}

export function currentOrigin(): WorkOrigin {
  return origins.getStore() ?? NO_REQUEST
}
