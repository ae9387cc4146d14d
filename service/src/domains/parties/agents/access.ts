import type { Queryable } from '../../../db/database.ts'
import type { Caller } from '../../../http/caller.ts'
import { AppError, type Refusal, raise, refuse } from '../../../kernel/app-error.ts'
import { unreachable } from '../../../kernel/assert.ts'
import { parseId, type Uuid } from '../../../kernel/ids.ts'
import type { Command } from '../../../ledger/index.ts'
import type { AgentPolicyCache } from '../../limits/index.ts'
import { type Agent, selectAgent } from './store.ts'

/** Whose an agent is, which never changes. */
export interface Belonging {
  readonly id: Uuid
  readonly platformId: Uuid
  readonly ownerId: Uuid
}

/** Whether an agent is the caller's: its platform's, itself, its owner's; administrators may see all. */
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
 * The agent of an address, which must be the caller's: unknown is not_found, a stranger's authorization_error. Which
 * kinds of caller a route takes at all is the route's to say.
 */
export async function requireAgentAccess(db: Queryable, caller: Caller, address: string): Promise<Agent> {
  const id = parseId('agt', address)
  const agent = id === null ? null : await selectAgent(db, id)
  if (agent === null) throw new AppError('not_found', 'There is no agent with this id')
  requireMayAccess(caller, agent)
  return agent
}

/** Refuses an agent that is a stranger's. It is asked again of the proven row under the lock, where a row decides. */
export function requireMayAccess(caller: Caller, agent: Belonging): void {
  if (!mayAccess(caller, agent)) raise(OF_SOMEONE_ELSE)
}

const OF_SOMEONE_ELSE = refuse(
  'authorization_error',
  'This agent belongs to someone else; use a credential of its own',
)

/**
 * A command that is decided only if the agent is the caller's by the proven facts under its account's lock. The row that
 * let the caller in was read before the lock and without a proof. `toStranger` is what a stranger is answered.
 */
export function forCaller<Result>(
  agents: AgentPolicyCache,
  { caller, agentId, toStranger = OF_SOMEONE_ELSE }: Claim,
  command: Command<Result>,
): Command<Result> {
  const [first, ...rest] = command.steps ?? []
  return {
    accounts: command.accounts,
    reads: command.reads,
    // In one step with the command's own needs, so that it costs no round trip more.
    steps: [batch => [...agents.reads(batch, [agentId]), ...(first?.(batch) ?? [])], ...rest],
    decide(batch) {
      const agent = agents.facts(batch, agentId)
      return agent !== undefined && mayAccess(caller, agent) ? command.decide(batch) : toStranger
    },
  }
}

/** Who says that an agent is its own. The command that follows takes the agent's account. */
export interface Claim {
  readonly caller: Caller
  readonly agentId: Uuid
  readonly toStranger?: Refusal
}
