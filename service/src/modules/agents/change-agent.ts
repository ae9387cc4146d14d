import type { Database } from '../../db/database.ts'
import type { Caller } from '../../http/caller.ts'
import { type Refusal, raise } from '../../kernel/app-error.ts'
import { assert } from '../../kernel/assert.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { applyDue, type Cooldown } from '../policies/index.ts'
import { requireAgentAccess } from './access.ts'
import type { AgentsContext } from './context.ts'
import { newAgentKey } from './create-agent.ts'
import { type AgentChange, deactivate, decideCancel, decideChange, decideNewKey } from './decide.ts'
import { type Agent, lockAgent, updateAgent } from './store.ts'

/** Changes what decides about an agent's payments, under the lock that payments take (see lockAgent). */
async function changeAgent(
  { database, clock, ledger }: AgentsContext,
  caller: Caller,
  address: string,
  decide: (agent: Agent) => Refusal | Agent,
): Promise<Agent> {
  // Asked before the lock, so that nobody can hold up a stranger's payments. Whose an agent is never changes.
  const { id } = await requireAgentAccess(database, caller, address)
  const written = await database.inTransaction(async tx => {
    const agent = await lockAgent(tx, id)
    assert(agent !== null, 'agents are never removed')
    const changed = decide({ ...agent, ...applyDue(agent, clock.now()) })
    if ('kind' in changed) raise(changed)
    await updateAgent(tx, changed)
    return changed
  })
  await ledger.answered([id])
  return written
}

export function updatePolicy(
  context: AgentsContext,
  caller: Caller,
  address: string,
  change: AgentChange,
): Promise<Agent> {
  return changeAgent(context, caller, address, agent => decideChange(agent, change, cooldownOf(context)))
}

/** Lets what waited and is due take effect. */
export function applyDuePolicy(database: Database, id: Uuid, now: Date): Promise<void> {
  return database.inTransaction(async tx => {
    const agent = await lockAgent(tx, id)
    if (agent !== null) await updateAgent(tx, { ...agent, ...applyDue(agent, now) })
  })
}

/** Drops a change of the policy that waits for the cooldown. */
export function cancelPolicyChange(
  context: AgentsContext,
  caller: Caller,
  address: string,
  control: string,
): Promise<Agent> {
  return changeAgent(context, caller, address, agent => decideCancel(agent, control))
}

function cooldownOf({ clock, limitIncreaseCooldownS }: AgentsContext): Cooldown {
  return { now: clock.now(), cooldownMs: limitIncreaseCooldownS * 1000 }
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
