import { routes } from '@batua/contract'
import type { Serve } from '../../../http/serve.ts'
import { formatId } from '../../../kernel/ids.ts'
import type { AgentsContext } from './context.ts'
import { normaliseHandle } from './handle.ts'
import { selectPublicAgent } from './store.ts'

/** The public routes about handles and agents. */
export function serveHandles(serve: Serve, { database, vault, findAgent }: AgentsContext): void {
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
