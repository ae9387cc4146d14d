import {
  allowConnectRequest,
  type ConnectedApp as ConnectedAppRecord,
  denyConnectRequest,
  endConnectedApp,
  getConnectRequest,
  listConnectedApps,
} from '@batua/contract'
import type { Provider } from 'oidc-provider'
import { page, pageOf } from '../../http/paging.ts'
import type { Serve } from '../../http/serve.ts'
import { raise } from '../../kernel/app-error.ts'
import { formatId, parseId } from '../../kernel/ids.ts'
import { rupees } from '../../kernel/money.ts'
import { actorOf } from '../../operations/facts.ts'
import { type AppView, scopesOf, selectApp, selectApps, spentToday } from '../limits/index.ts'
import { forCaller, selectListedAgents } from '../parties/index.ts'
import { allowRequest, denyRequest } from './answer-request.ts'
import { endCommand, NO_APP } from './change-app.ts'
import type { AppsContext } from './context.ts'
import { requireRequest, requireSameBrowser, shownRequest } from './oauth/connect-request.ts'

export function serveApps(serve: Serve, context: AppsContext, openProvider: () => Promise<Provider>): void {
  const { database, vault, ledger, agents, stepUp } = context

  serve(listConnectedApps, async ({ caller, query, now }) => {
    const request = pageOf(query)
    const agentIds = await selectListedAgents(database, caller, query.agent_id)
    const { rows, total } = await selectApps(database, { agentIds, now }, request)
    return page('connected_apps', rows, row => appRecord(row, now), total, request)
  })

  serve(
    endConnectedApp,
    async ({ caller, params }) => {
      const id = parseId('app', params.app_id)
      const view = id === null ? null : await selectApp(database, id)
      if (view === null) raise(NO_APP)
      const command = endCommand(view, actorOf(caller, view.ownerId), 'disconnected by the owner')
      const claim = { caller, agentId: view.agentId, otherwise: NO_APP }
      await ledger.submit(forCaller(agents, claim, command))
      return { app_id: formatId('app', view.id), ended: true as const }
    },
    { stops: true },
  )

  serve(getConnectRequest, async ({ params, headers }) => {
    requireSameBrowser(vault, params.request_id, headers.cookie)
    return shownRequest(await requireRequest(await openProvider(), params.request_id))
  })

  serve(allowConnectRequest, async call => {
    const { caller, params, body, headers } = call
    requireSameBrowser(vault, params.request_id, headers.cookie)
    await stepUp.require(call)
    return { redirect_to: await allowRequest(context, await openProvider(), caller, params.request_id, body) }
  })

  serve(
    denyConnectRequest,
    async ({ params, headers }) => {
      requireSameBrowser(vault, params.request_id, headers.cookie)
      return { redirect_to: await denyRequest(context, await openProvider(), params.request_id) }
    },
    { opensSession: true },
  )
}

function appRecord(app: AppView, now: Date): ConnectedAppRecord {
  return {
    app_id: formatId('app', app.id),
    name: app.name,
    client_id: app.clientId,
    agent_id: formatId('agt', app.agentId),
    agent_name: app.agentName,
    scopes: scopesOf(app),
    per_tx: rupees(app.perTxPaise),
    daily: rupees(app.dailyPaise),
    spent_today: rupees(spentToday(app, now.getTime())),
    created_at: app.createdAt.toISOString(),
    last_used_at: app.lastUsedAt?.toISOString() ?? null,
    expires_at: app.expiresAt.toISOString(),
  }
}
