import type { Caller } from '../../http/caller.ts'
import { type Refusal, raise } from '../../kernel/app-error.ts'
import { assert } from '../../kernel/assert.ts'
import { requireAgentAccess } from './access.ts'
import type { AgentsContext } from './context.ts'
import { newAgentKey } from './create-agent.ts'
import { type AgentChange, deactivate, decideChange, decideNewKey } from './decide.ts'
import { type Agent, lockAgent, updateAgent } from './store.ts'

/** Changes what decides about an agent's payments, under the lock that payments take (see lockAgent). */
async function changeAgent(
  { database }: AgentsContext,
  caller: Caller,
  address: string,
  decide: (agent: Agent) => Refusal | Agent,
): Promise<Agent> {
  // Asked before the lock, so that nobody can hold up a stranger's payments. Whose an agent is never changes.
  const { id } = await requireAgentAccess(database, caller, address)
  return database.inTransaction(async tx => {
    const agent = await lockAgent(tx, id)
    assert(agent !== null, 'agents are never removed')
    const changed = decide(agent)
    if ('kind' in changed) raise(changed)
    await updateAgent(tx, changed)
    return changed
  })
}

export function updatePolicy(
  context: AgentsContext,
  caller: Caller,
  address: string,
  change: AgentChange,
): Promise<Agent> {
  return changeAgent(context, caller, address, agent => decideChange(agent, change))
}

/** Ends an agent for good. Ending it again changes nothing, so a caller that lost the answer may repeat it. */
export function deactivateAgent(context: AgentsContext, caller: Caller, address: string): Promise<Agent> {
  return changeAgent(context, caller, address, agent => deactivate(agent, context.clock.now()))
}

export async function rotateAgentKey(
  context: AgentsContext,
  caller: Caller,
  address: string,
): Promise<{ readonly agent: Agent; readonly agentKey: string }> {
  const key = newAgentKey()
  const agent = await changeAgent(context, caller, address, found => decideNewKey(found, key))
  return { agent, agentKey: key.text }
}
