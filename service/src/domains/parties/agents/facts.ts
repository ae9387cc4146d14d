import type { AgentStatus, AuditAction } from '@batua/contract'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import type { NewEvent } from '../../../operations/event.ts'
import type { Actor, Fact, FactData } from '../../../operations/facts.ts'
import { LIMIT_INCREASES, type PolicyState, policyFacts } from '../../limits/index.ts'
import type { AgentIdentity } from './identity-mac.ts'
import type { StoredState } from './state-store.ts'
import type { AgentState, StateAct } from './states.ts'
import type { Agent } from './store.ts'

export function agentFact(
  actor: Actor,
  action: Extract<Fact['action'], `agent.${string}`>,
  { id }: Pick<Agent, 'id'>,
  data: FactData,
  events: readonly NewEvent[] = [],
): Fact {
  return { agentId: id, actor, action, target: formatId('agt', id), data, events }
}

/** An agent's identity, as its MAC covers it. */
export function identityFacts({ ownerId, handle, publicKey }: AgentIdentity): FactData {
  return { handle, owner_id: formatId('own', ownerId), public_key: publicKey }
}

/** The entry for due changes that took effect; none if nothing was due. */
export function appliedFacts(before: Agent, applied: PolicyState): Fact[] {
  const facts = policyFacts(before, applied)
  return facts === null ? [] : [agentFact(LIMIT_INCREASES, 'agent.policy_change_applied', before, facts)]
}

/** The entry for a change of an agent's name, origins or policy; none if nothing changed. */
export function updatedFacts(actor: Actor, before: Agent, after: Agent): Fact[] {
  const policy = policyFacts(before, after)
  const name = before.name === after.name ? null : { name: { from: before.name, to: after.name } }
  const origins = isSame(before.origins, after.origins)
    ? null
    : { origins: { from: [...before.origins], to: [...after.origins] } }
  if (policy === null && name === null && origins === null) return []
  return [agentFact(actor, 'agent.updated', after, { ...name, ...origins, ...policy })]
}

function isSame(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((each, index) => each === right[index])
}

export function cancelledFacts(actor: Actor, before: Agent, after: Agent): Fact[] {
  return [agentFact(actor, 'agent.policy_change_cancelled', after, policyFacts(before, after) ?? {})]
}

export function keyRotatedFacts(actor: Actor, before: Agent, after: Agent): Fact[] {
  const data = { key_last4: { from: before.keyLast4, to: after.keyLast4 } }
  return [agentFact(actor, 'agent.key_rotated', after, data)]
}

const ACTIONS = {
  pause: 'agent.paused',
  resume: 'agent.resumed',
  quarantine: 'agent.quarantined',
  freeze: 'agent.frozen',
  restore: 'agent.restored',
  unfreeze: 'agent.restored',
} as const satisfies Record<StateAct, AuditAction>

/** A changed state. Whether the money of a deactivated agent is blocked may change without its status. */
export function stateFact(actor: Actor, act: StateAct, before: StoredState, after: AgentState): Fact {
  const { id, status, blockedAs } = before
  const held = blockedAs === after.blockedAs ? {} : { held_as: { from: blockedAs, to: after.blockedAs } }
  const data = { from: status, to: after.status, ...held }
  const events = status === after.status ? [] : [statusEvent(id, status, after.status)]
  return agentFact(actor, ACTIONS[act], before, data, events)
}

export function deactivatedFact(actor: Actor, id: Uuid, from: AgentStatus): Fact {
  const events = [statusEvent(id, from, 'deactivated')]
  return agentFact(actor, 'agent.deactivated', { id }, { from }, events)
}

function statusEvent(agentId: Uuid, from: AgentStatus, to: AgentStatus): NewEvent {
  const data = { agent_id: formatId('agt', agentId), status: to, previous_status: from }
  return { name: 'agent.status.changed', agentId, data }
}
