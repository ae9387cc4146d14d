import { boundedMap } from '../../kernel/bounded-map.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { newSecret } from '../../kernel/secrets.ts'
import type { AgentCaller, MaybePromise } from '../caller.ts'

/** The app that calls. */
export interface CallingApp {
  readonly agentId: Uuid
  readonly id: Uuid
}

/**
 * The calls that this process makes to its own routes for an app. A token of an app is no credential of any route but
 * `/mcp`, so each request there gets a key of its own, which no other process knows and which ends with the request.
 */
export interface AppCalls {
  open(app: CallingApp): { readonly key: string; end(): void }
  /** The caller with such a key, read again from the database; undefined: it is none of these keys. */
  callerOf(key: string): MaybePromise<AgentCaller | null> | undefined
}

const PREFIX = 'app_call_'
/** More than can be in progress at a time. */
const MOST_OPEN = 100_000

export function openAppCalls(appAgain: (app: CallingApp) => Promise<AgentCaller | null>): AppCalls {
  const open = boundedMap<string, CallingApp>(MOST_OPEN)
  return {
    open(app) {
      const key = newSecret(PREFIX)
      open.set(key, app)
      return { key, end: () => open.delete(key) }
    },
    callerOf(key) {
      if (!key.startsWith(PREFIX)) return undefined
      const app = open.get(key)
      return app === undefined ? undefined : appAgain(app)
    },
  }
}
