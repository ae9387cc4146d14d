import type { AgentStatus } from '@batua/contract'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import type { Act, Actor, Facts } from '../../../operations/act.ts'
import type { NewEvent } from '../../../operations/event.ts'
import { LIMIT_INCREASES, type PolicyState, policyFacts } from '../../limits/index.ts'
import type { AgentIdentity } from './identity-mac.ts'
import type { Agent } from './store.ts'

export function agentAct(
  actor: Actor,
  action: Extract<Act['action'], `agent.${string}`>,
  { id }: Pick<Agent, 'id'>,
  data: Facts,
): Act {
  return { agentId: id, actor, action, target: formatId('agt', id), data }
}

/** An agent's identity, as its MAC covers it. */
export function identityFacts({ ownerId, handle, publicKey }: AgentIdentity): Facts {
  return { handle, owner_id: formatId('own', ownerId), public_key: publicKey }
}

/** The entry for due changes that took effect; none if nothing was due. */
export function appliedActs(before: Agent, applied: PolicyState): Act[] {
  const facts = policyFacts(before, applied)
  return facts === null ? [] : [agentAct(LIMIT_INCREASES, 'agent.policy_change_applied', before, facts)]
}

/** The entry for a change of an agent's name, origins or policy; none if nothing changed. */
export function updatedActs(actor: Actor, before: Agent, after: Agent): Act[] {
  const policy = policyFacts(before, after)
  const name = before.name === after.name ? null : { name: { from: before.name, to: after.name } }
  const origins = isSame(before.origins, after.origins)
    ? null
    : { origins: { from: [...before.origins], to: [...after.origins] } }
  if (policy === null && name === null && origins === null) return []
  return [agentAct(actor, 'agent.updated', after, { ...name, ...origins, ...policy })]
}

function isSame(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((each, index) => each === right[index])
}

export function cancelledActs(actor: Actor, before: Agent, after: Agent): Act[] {
  return [agentAct(actor, 'agent.policy_change_cancelled', after, policyFacts(before, after) ?? {})]
}

export function keyRotatedActs(actor: Actor, before: Agent, after: Agent): Act[] {
  const data = { key_last4: { from: before.keyLast4, to: after.keyLast4 } }
  return [agentAct(actor, 'agent.key_rotated', after, data)]
}

/** The event of a changed agent status. */
export function statusEvent(agentId: Uuid, from: AgentStatus, to: AgentStatus): NewEvent {
  const data = { agent_id: formatId('agt', agentId), status: to, previous_status: from }
  return { name: 'agent.status.changed', agentId, data }
}
