import { getExposure, listExposure } from '@batua/contract'
import type { Database } from '../../../db/database.ts'
import { page, pageOf } from '../../../http/paging.ts'
import type { Serve } from '../../../http/serve.ts'
import { assert } from '../../../kernel/assert.ts'
import { requireAgentAccess, selectAgentsOf } from '../../parties/index.ts'
import { type AgentExposure, readExposure, totalOf } from './read-exposure.ts'

export function serveExposure(serve: Serve, { database }: { readonly database: Database }): void {
  serve(getExposure, async ({ caller, params, now }) => {
    const agent = await requireAgentAccess(database, caller, params.agent_id)
    const [exposure] = await readExposure(database, [agent.id], now)
    assert(exposure !== undefined, 'every agent has a wallet')
    return { as_of: now.toISOString(), ...figures(exposure) }
  })

  serve(listExposure, async ({ caller, query, now }) => {
    const { limit, fetch, offset, before } = pageOf(query)
    const ids = await selectAgentsOf(database, caller.ownerIds)
    const agents = (await readExposure(database, ids, now)).toSorted((one, other) =>
      one.id < other.id ? 1 : -1,
    )
    const rest = agents.filter(({ id }) => before === null || id < before)
    const shown = rest.slice(offset, offset + fetch)
    return {
      as_of: now.toISOString(),
      total: totalOf(agents),
      ...page('agents', shown, figures, agents.length, { limit, fetch, offset, before }),
    }
  })
}

function figures({ figures: shown }: AgentExposure): AgentExposure['figures'] {
  return shown
}
