import { formatId, type Uuid } from '../../kernel/ids.ts'
import { applyDue, type PolicyState } from './change-policy.ts'
import { type Layer, payeeListsOf } from './layers.ts'
import type { PolicyChange } from './spend-policy.ts'

type PayeeLists = Pick<Layer, 'allowedPayees' | 'blockedPayees'>

/** The payee lists of one layer: those in force, and those after each pending change. */
export interface PayeeTimeline {
  readonly inForce: PayeeLists
  readonly later: readonly { readonly from: Date; readonly lists: PayeeLists }[]
}

export function changesPayees(change: PolicyChange): boolean {
  return change.allowed_payees !== undefined || change.blocked_payee_agents !== undefined
}

/** While the owner is frozen, no pending change takes effect. */
export function payeeTimeline(state: PolicyState, now: Date, isFrozen: boolean): PayeeTimeline {
  const present = applyDue(state, { now, isFrozen })
  const moments = isFrozen ? [] : present.pending.filter(({ control }) => isPayeeList(control))
  return {
    inForce: payeeListsOf(present.policy),
    later: moments
      .map(({ effectiveAt }) => effectiveAt)
      .toSorted((left, right) => left.getTime() - right.getTime())
      .map(from => ({
        from,
        lists: payeeListsOf(applyDue(present, { now: from, isFrozen }).policy),
      })),
  }
}

export function isPayeeList(control: string): boolean {
  return control === 'allowed_payees' || control === 'blocked_payee_agents'
}

/** Agents that lists name and that can be paid: they exist and are not deactivated. */
export type Receivers = ReadonlySet<string>

/** All agents that the lists of these layers allow, now or after a pending change. */
export function namedPayees(layers: readonly PayeeTimeline[]): string[] {
  const lists = layers.flatMap(({ inForce, later }) => [inForce, ...later.map(change => change.lists)])
  return [...new Set(lists.flatMap(({ allowedPayees }) => [...(allowedPayees ?? [])]))]
}

/**
 * From when on all layers allow at least one payee; null: no pending change leads to that. An agent cannot pay itself,
 * and a deactivated payee does not count.
 */
export function payableFrom(
  payerId: Uuid | null,
  layers: readonly PayeeTimeline[],
  receivers: Receivers,
): 'now' | Date | null {
  const isAnybodyLeft = (lists: readonly PayeeLists[]) => hasPayee(payerId, lists, receivers)
  if (isAnybodyLeft(layers.map(layer => layer.inForce))) return 'now'
  const moments = layers.flatMap(({ later }) => later.map(({ from }) => from))
  const found = moments
    .toSorted((left, right) => left.getTime() - right.getTime())
    .find(moment => isAnybodyLeft(layers.map(layer => listsAt(layer, moment))))
  return found ?? null
}

function listsAt({ inForce, later }: PayeeTimeline, moment: Date): PayeeLists {
  return later.findLast(({ from }) => from <= moment)?.lists ?? inForce
}

function hasPayee(payerId: Uuid | null, layers: readonly PayeeLists[], receivers: Receivers): boolean {
  const allowed = layers.flatMap(({ allowedPayees }) => (allowedPayees === null ? [] : [allowedPayees]))
  const [shortest] = allowed.toSorted((left, right) => left.size - right.size)
  if (shortest === undefined) return true
  for (const id of shortest) {
    if (id === payerId || !receivers.has(id) || !allowed.every(list => list.has(id))) continue
    if (!layers.some(({ blockedPayees }) => blockedPayees?.has(id) === true)) return true
  }
  return false
}

/** The warning that an agent can pay nobody until a moment; null: no pending change ends that. */
export function agentCanPayNobody(agentId: Uuid, until: Date | null): string {
  const agent = formatId('agt', agentId)
  return until === null
    ? `${agent} can pay nobody: no agent that can be paid is allowed by all payee lists in force`
    : `${agent} can pay nobody until ${until.toISOString()}: until then no agent that can be paid is allowed by all payee lists in force`
}

/** The same warning for all agents of an owner. */
export function agentsCanPayNobody(until: Date | null): string {
  return until === null
    ? 'No agent can pay anybody: the owner’s payee lists allow nobody who can be paid'
    : `No agent can pay anybody until ${until.toISOString()}: until then the owner’s payee lists allow nobody who can be paid`
}
