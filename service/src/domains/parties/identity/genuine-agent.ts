import { AppError } from '../../../kernel/app-error.ts'
import { assert } from '../../../kernel/assert.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { type FoundAgent, findProvenAgent, type ProvenAgent } from '../agents/proven-store.ts'
import type { IdentityContext } from './context.ts'

/** The agent that an id or handle names, proved; 404 when there is none. */
export async function requireGenuineAgent(
  { database, vault, findAgent }: Pick<IdentityContext, 'database' | 'vault' | 'findAgent'>,
  address: string,
): Promise<ProvenAgent> {
  const id = await findAgent(address)
  if (id === null) throw agentNotFound()
  return genuine(id, await findProvenAgent(database, vault, id))
}

/** Of an agent that somebody changed in the database nothing is said: that is for the operator to see. */
export function genuine(id: Uuid, found: FoundAgent): ProvenAgent {
  if (found.kind === 'none') throw agentNotFound()
  assert(found.kind === 'agent', `${formatId('agt', id)} is who it was created as`)
  return found.agent
}

function agentNotFound(): AppError {
  return new AppError('not_found', 'There is no agent with this id or handle')
}
