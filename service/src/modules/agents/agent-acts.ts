import { formatId } from '../../kernel/ids.ts'
import { type Act, type Actor, type Facts, service } from '../audit/index.ts'
import { type PolicyState, policyFacts } from '../policies/index.ts'
import type { AgentIdentity } from './agent-seal.ts'
import type { Agent } from './store.ts'

/** Changes that waited are applied in nobody's name, whoever comes by when their time has come. */
const LIMIT_INCREASES = service('limit increases')

export function agentAct(
  { id }: Pick<Agent, 'id'>,
  actor: Actor,
  action: Extract<Act['action'], `agent.${string}`>,
  data: Facts,
): Act {
  return { agentId: id, actor, action, target: formatId('agt', id), data }
}

/** Who an agent is, as it was sealed. */
export function identityFacts({ ownerId, handle, publicKey }: AgentIdentity): Facts {
  return { handle, owner_id: formatId('own', ownerId), public_key: publicKey }
}

/** That what waited and was due took effect; none when nothing was. */
export function appliedActs(before: Agent, applied: PolicyState): Act[] {
  const facts = policyFacts(before, applied)
  return facts === null ? [] : [agentAct(before, LIMIT_INCREASES, 'agent.policy_change_applied', facts)]
}

/** What a change made of an agent's name and policy; none when all is as it was. */
export function updatedActs(actor: Actor, before: Agent, after: Agent): Act[] {
  const policy = policyFacts(before, after)
  const name = before.name === after.name ? null : { name: { from: before.name, to: after.name } }
  if (policy === null && name === null) return []
  return [agentAct(after, actor, 'agent.updated', { ...name, ...policy })]
}

export function cancelledActs(actor: Actor, before: Agent, after: Agent): Act[] {
  return [agentAct(after, actor, 'agent.policy_change_cancelled', policyFacts(before, after) ?? {})]
}

export function keyRotatedActs(actor: Actor, before: Agent, after: Agent): Act[] {
  const data = { key_last4: { from: before.keyLast4, to: after.keyLast4 } }
  return [agentAct(after, actor, 'agent.key_rotated', data)]
}
