import { AppError } from '../../../kernel/app-error.ts'
import { assert } from '../../../kernel/assert.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { type FoundAgent, findProvenAgent, type ProvenAgent } from '../agents/proven-store.ts'
import type { IdentityContext } from './context.ts'

/** The proven agent with this id or handle; 404 if there is none. */
export async function requireGenuineAgent(
  { database, vault, findAgent }: Pick<IdentityContext, 'database' | 'vault' | 'findAgent'>,
  idOrHandle: string,
): Promise<ProvenAgent> {
  const id = await findAgent(idOrHandle)
  if (id === null) throw agentNotFound()
  return genuine(id, await findProvenAgent(database, vault, id))
}

/** Nothing is published about an agent that fails its MAC; the operator sees the failed assertion. */
export function genuine(id: Uuid, found: FoundAgent): ProvenAgent {
  if (found.kind === 'none') throw agentNotFound()
  assert(found.kind === 'agent', `${formatId('agt', id)} passes the MAC of its identity`)
  return found.agent
}

function agentNotFound(): AppError {
  return new AppError('not_found', 'There is no agent with this id or handle')
}
