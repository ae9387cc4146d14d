import type { Queryable } from '../../db/database.ts'
import type { Caller } from '../../http/caller.ts'
import { AppError } from '../../kernel/app-error.ts'
import { unreachable } from '../../kernel/assert.ts'
import { parseId, type Uuid } from '../../kernel/ids.ts'
import { type Agent, selectAgent } from './store.ts'

/** Whether an agent is the caller's: its platform's, itself, its owner's; administrators may see all. */
export function mayAccess(
  caller: Caller,
  agent: { readonly id: Uuid; readonly platformId: Uuid; readonly ownerId: Uuid },
): boolean {
  switch (caller.kind) {
    case 'platform':
      return caller.platformId === agent.platformId
    case 'agent':
      return caller.agentId === agent.id
    case 'owner':
      return caller.ownerIds.includes(agent.ownerId)
    case 'admin':
      return true
    case 'public':
      return false
    default:
      return unreachable(caller)
  }
}

/**
 * The agent of an address, which must be the caller's: unknown is not_found, a stranger's authorization_error. Which
 * kinds of caller a route takes at all is the route's to say.
 */
export async function requireAgentAccess(db: Queryable, caller: Caller, address: string): Promise<Agent> {
  const id = parseId('agt', address)
  const agent = id === null ? null : await selectAgent(db, id)
  if (agent === null) throw new AppError('not_found', 'There is no agent with this id')
  if (mayAccess(caller, agent)) return agent
  throw new AppError('authorization_error', 'This agent belongs to someone else; use a credential of its own')
}
