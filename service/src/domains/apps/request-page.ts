import type { AppIdentity } from '../../http/caller.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { Command } from '../../ledger/index.ts'
import { actorFor, record } from '../../operations/facts.ts'
import { appReads, keyOfApp, refuseEndedApp } from '../limits/index.ts'

/** A request to a page that may act on it, by a tool. */
export interface PageRequested {
  readonly agentId: Uuid
  /** null: the agent itself asks. */
  readonly app: AppIdentity | null
  readonly tool: string
  readonly method: string
  readonly host: string
}

/**
 * Records a request before it is sent, so that no page acts without an entry. Of an address only the host: paths and
 * queries may contain secrets. An app that has ended sends no more.
 */
export function requestPageCommand({ agentId, app, ...asked }: PageRequested): Command<PageRequested> {
  const key = keyOfApp(agentId, app)
  const actor = actorFor(agentId, app)
  return {
    accounts: [agentId],
    reads: appReads(key),
    decide(batch) {
      const refused = refuseEndedApp(batch, key)
      if (refused !== null) return refused
      record(batch, { agentId, actor, action: 'page.requested', target: actor.id, data: { ...asked } })
      return { agentId, app, ...asked }
    },
  }
}
