import { type QueryOf, routes } from '@batua/contract'
import type { Caller } from '../../../http/caller.ts'
import { type PageRequest, page, pageOf } from '../../../http/paging.ts'
import type { Serve } from '../../../http/serve.ts'
import { formatId, parseId } from '../../../kernel/ids.ts'
import { changesPayees } from '../../limits/index.ts'
import type { WithStepUp } from '../passkeys/step-up.ts'
import { payeeWarnings } from '../policies/payee-warnings.ts'
import { requireAgentAccess } from './access.ts'
import { agentRecord, recordWithVendor } from './agent-record.ts'
import { deactivateAgent, rotateAgentKey, updatePolicy } from './change-agent.ts'
import { pauseAgent, pauseAllAgents, resumeAgent } from './change-states.ts'
import type { AgentsContext } from './context.ts'
import { createAgent } from './create-agent.ts'
import { normaliseHandle } from './find-agent.ts'
import { type AgentFilter, type AgentScope, countAgents, selectAgents } from './list-store.ts'
import { selectPublicAgent } from './store.ts'

export function serveAgents(serve: Serve, context: AgentsContext & WithStepUp): void {
  const { database, vault } = context

  serve(routes.createAgent, async ({ caller, body }) => {
    const { agent, agentKey } = await createAgent(context, caller.platformId, body)
    return { ...recordWithVendor(vault, agent), agent_key: agentKey }
  })

  serve(routes.listAgents, async ({ caller, query }) => {
    const request = pageOf(query)
    const { agents, total } = await listAgents(context, filterOf(caller, query), request)
    return page('agents', agents, agent => agentRecord(vault, caller, agent), total, request)
  })

  serve(routes.getCurrentAgent, async ({ caller }) => {
    const agent = await requireAgentAccess(database, caller, formatId('agt', caller.agentId))
    return agentRecord(vault, caller, agent)
  })

  serve(routes.getAgent, async ({ caller, params }) =>
    agentRecord(vault, caller, await requireAgentAccess(database, caller, params.agent_id)),
  )

  serve(routes.updateAgent, async call => {
    const { caller, params, body } = call
    const confirmation = await context.stepUp.confirmationOf(call)
    const agent = await updatePolicy(context, caller, params.agent_id, body, confirmation)
    const warnings = changesPayees(body) ? await payeeWarnings(context, agent) : {}
    return { ...agentRecord(vault, caller, agent), ...warnings }
  })

  serve(
    routes.deactivateAgent,
    async ({ caller, params }) =>
      agentRecord(vault, caller, await deactivateAgent(context, caller, params.agent_id)),
    STOPS,
  )

  serve(
    routes.pauseAgent,
    async ({ caller, params }) =>
      agentRecord(vault, caller, await pauseAgent(context, caller, params.agent_id)),
    STOPS,
  )

  serve(
    routes.pauseAllAgents,
    async ({ caller }) => ({ paused: await pauseAllAgents(context, caller) }),
    STOPS,
  )

  serve(routes.resumeAgent, async ({ caller, params }) =>
    agentRecord(vault, caller, await resumeAgent(context, caller, params.agent_id)),
  )

  serve(
    routes.rotateAgentKey,
    async ({ caller, params }) => {
      const { agent, agentKey } = await rotateAgentKey(context, caller, params.agent_id)
      return { agent_id: formatId('agt', agent.id), agent_key: agentKey, key_last4: agent.keyLast4 }
    },
    STOPS,
  )

  serveHandles(serve, context)
}

const STOPS = { stops: true } as const

async function listAgents({ database }: AgentsContext, filter: AgentFilter, request: PageRequest) {
  const [agents, total] = await Promise.all([
    selectAgents(database, filter, request),
    countAgents(database, filter),
  ])
  return { agents, total }
}

function filterOf(caller: Caller, query: QueryOf<typeof routes.listAgents>): AgentFilter {
  return {
    scope: scopeOf(caller),
    status: query.status ?? null,
    ownerId: query.owner_id === undefined ? null : parseId('own', query.owner_id),
    // An invalid handle is searched as it is and matches no agent.
    handle: query.handle === undefined ? null : (normaliseHandle(query.handle) ?? ''),
    search: query.search?.normalize().replace(/^@/, ''),
  }
}

/** The listed agents: those of a platform, of the session's owners, or for administrators all. */
function scopeOf(caller: Caller): AgentScope {
  switch (caller.kind) {
    case 'platform':
      return { kind: 'platform', platformId: caller.platformId }
    case 'admin':
      return { kind: 'all' }
    case 'owner':
      return { kind: 'owners', ownerIds: caller.ownerIds }
    case 'agent':
    case 'public':
      return { kind: 'owners', ownerIds: [] }
  }
}

/** The public routes about handles and agents. */
function serveHandles(serve: Serve, { database, vault, findAgent }: AgentsContext): void {
  serve(routes.getHandleAvailability, async ({ params }) => {
    const handle = normaliseHandle(params.handle)
    if (handle === null) return availability(params.handle, 'invalid')
    return availability(handle, (await findAgent(handle)) === null ? null : 'taken')
  })

  serve(routes.getAgentExistence, async ({ params }) => {
    const id = await findAgent(params.agent_id)
    const agent = id === null ? null : await selectPublicAgent(database, vault, id)
    if (agent === null) return { exists: false, agent_id: null, handle: null, name: null, status: null }
    const { handle, name, status } = agent
    return { exists: true, agent_id: formatId('agt', agent.id), handle, name, status }
  })
}

function availability(handle: string, reason: 'taken' | 'invalid' | null) {
  return { handle, available: reason === null, reason }
}
