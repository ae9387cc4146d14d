import type { Queryable } from '../../../db/database.ts'
import type { Caller } from '../../../http/caller.ts'
import { AppError, type Refusal, raise, refuse } from '../../../kernel/app-error.ts'
import { unreachable } from '../../../kernel/assert.ts'
import { parseId, type Uuid } from '../../../kernel/ids.ts'
import type { Command } from '../../../ledger/index.ts'
import type { AgentPolicyCache } from '../../limits/index.ts'
import { type Agent, type Belonging, selectAgent, selectBelonging } from './store.ts'

/** Whether the caller is the agent's platform, the agent itself, its owner or an administrator. */
export function mayAccess(caller: Caller, agent: Belonging): boolean {
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
 * The agent with this id, which the caller must have access to: an unknown agent is not_found, an agent of another
 * party authorization_error. The route itself decides which kinds of caller it accepts.
 */
export async function requireAgentAccess(db: Queryable, caller: Caller, agentRef: string): Promise<Agent> {
  const id = parseId('agt', agentRef)
  return requireFound(caller, id === null ? null : await selectAgent(db, id))
}

/** The same for a route that needs no more of the agent than its id. For the agent itself nothing is read. */
export async function requireAccess(db: Queryable, caller: Caller, agentRef: string): Promise<Belonging> {
  const id = parseId('agt', agentRef)
  if (id !== null && caller.kind === 'agent' && caller.agentId === id) {
    return { id, platformId: caller.platformId, ownerId: caller.ownerId }
  }
  return requireFound(caller, id === null ? null : await selectBelonging(db, id))
}

/** An agent that was read, which must exist and which the caller must have access to. */
export function requireFound<Found extends Belonging>(caller: Caller, agent: Found | null): Found {
  if (agent === null) throw new AppError('not_found', 'There is no agent with this id')
  requireMayAccess(caller, agent)
  return agent
}

/** Refuses a caller without access to the agent. Changes check this again on the proven row under the lock. */
export function requireMayAccess(caller: Caller, agent: Belonging): void {
  if (!mayAccess(caller, agent)) raise(NOT_YOURS)
}

const NOT_YOURS = refuse(
  'authorization_error',
  'This agent belongs to someone else; use a credential of its own',
)

/**
 * A command that is decided only if the proven facts, under the lock of the agent's account, show that the caller has
 * access to the agent. The first check used a row that was read before the lock and not proven. `otherwise` is the
 * refusal for a caller without access.
 */
export function forCaller<Result>(
  agents: AgentPolicyCache,
  { caller, agentId, otherwise = NOT_YOURS }: Claim,
  command: Command<Result>,
): Command<Result> {
  const [first, ...rest] = command.phases ?? []
  return {
    accounts: command.accounts,
    reads: command.reads,
    // Read in the command's own first phase, so that it costs no additional round trip.
    phases: [batch => [...agents.reads(batch, [agentId]), ...(first?.(batch) ?? [])], ...rest],
    decide(batch) {
      const agent = agents.facts(batch, agentId)
      return agent !== undefined && mayAccess(caller, agent) ? command.decide(batch) : otherwise
    },
  }
}

/** A caller and the agent that it acts on. The command locks the agent's account. */
export interface Claim {
  readonly caller: Caller
  readonly agentId: Uuid
  readonly otherwise?: Refusal
}
