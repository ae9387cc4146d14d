import type { Queryable } from '../../db/database.ts'
import type { AgentCaller } from '../../http/caller.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Vault } from '../../kernel/secrets.ts'
import {
  type AppKey,
  type ConnectedApp,
  isOpen,
  noteAppUse,
  scopesOf,
  selectAppByKey,
  selectAppOfGrant,
} from '../limits/index.ts'
import { readAgentCaller } from '../parties/index.ts'
import { findRecord, grantHashOf, isTokenText } from './oauth/records.ts'

export interface AppAuthenticators {
  /** The caller of an access token, which is read from the database each time; null: it is not valid. */
  app(token: string): Promise<AgentCaller | null>
  /** The caller of an app that acts in this process, read again; null: it may not act any more. */
  appAgain(key: AppKey): Promise<AgentCaller | null>
}

export function createAppAuthenticators(database: Queryable, vault: Vault, clock: Clock): AppAuthenticators {
  async function callerOf(app: ConnectedApp | null): Promise<AgentCaller | null> {
    if (app === null || !isOpen(app, clock.now().getTime())) return null
    const agent = await readAgentCaller(database, vault, app.agentId)
    if (agent === null) return null
    return { ...agent, app: { id: app.id, name: app.name, scopes: scopesOf(app) } }
  }

  return {
    async app(token) {
      if (!isTokenText(token)) return null
      const now = clock.now()
      const record = await findRecord({ database, vault }, 'AccessToken', token, now)
      const grantId = record?.payload['grantId']
      if (typeof grantId !== 'string') return null
      const app = await selectAppOfGrant(database, vault, grantHashOf(vault, grantId))
      const caller = await callerOf(app)
      if (app !== null && caller !== null) await noteAppUse(database, app, now)
      return caller
    },
    appAgain: async key => callerOf(await selectAppByKey(database, vault, key)),
  }
}
