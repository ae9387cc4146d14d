import { isDeepStrictEqual } from 'node:util'
import { MAX_PAYEE_LIST, type PendingPolicy, POLICY_CONTROLS, type PolicyControl } from '@batua/contract'
import { passkeyRequired, type Refusal, refuse } from '../../kernel/app-error.ts'
import { type FactData, service } from '../../operations/facts.ts'
import type { SpendPolicy } from './controls.ts'
import { decidePolicy, type PolicyChange, policyRecord, tighterOf } from './spend-policy.ts'

/** A change that loosens a policy and takes effect after the cooldown; the value as a caller writes it. */
export interface PendingChange {
  readonly control: PolicyControl
  readonly value: unknown
  readonly effectiveAt: Date
}

/** The policy of an agent or an owner, with its pending changes. */
export interface PolicyState {
  readonly policy: SpendPolicy
  readonly pending: readonly PendingChange[]
}

export interface Cooldown {
  readonly now: Date
  readonly cooldownMs: number
  /** While the owner is frozen, no change may loosen a policy. */
  readonly isFrozen: boolean
  /** The owner has a passkey that did not confirm the change, so it may only tighten. */
  readonly isUnconfirmed?: boolean
}

/**
 * The policy after a change by its platform or owner. A change that tightens takes effect at once, one that loosens
 * waits for the cooldown; of a list that does both, the part that tightens takes effect at once. A newer change of a
 * control replaces a pending one. Due changes must have been applied (see applyDue). While the owner is frozen, a
 * change that loosens anything is refused as a whole, and so is one that a passkey has to confirm.
 */
export function changePolicy(
  state: PolicyState,
  change: PolicyChange,
  { now, cooldownMs, isFrozen, isUnconfirmed = false }: Cooldown,
): Refusal | PolicyState {
  const { policy } = state
  let { pending } = state
  const wanted = decidePolicy(policy, change)
  if ('kind' in wanted) return wanted
  const tightened = tighterOf(policy, wanted)
  if ((isFrozen || isUnconfirmed) && loosened(tightened, wanted).size > 0)
    return isFrozen ? frozenIncrease() : passkeyRequired()
  const atOnce = cooldownMs === 0 ? wanted : tightened
  if (atOnce.blocked_payee_agents.length > MAX_PAYEE_LIST) return tooManyBlocked()
  const waiting = loosened(atOnce, wanted)
  const effectiveAt = new Date(now.getTime() + cooldownMs)
  for (const control of POLICY_CONTROLS) {
    const value = change[control]
    if (value === undefined) continue
    const before = pending.find(each => each.control === control)
    pending = pending.filter(each => each.control !== control)
    if (!waiting.has(control)) continue
    // A repeated request, perhaps after a lost response, keeps the moment of the first.
    const isRepeated = before !== undefined && isSame(before.value, value)
    pending = [...pending, isRepeated ? before : { control, value, effectiveAt }]
  }
  return { policy: atOnce, pending }
}

/** The state once every due change has taken effect. While the owner is frozen, none does. */
export function applyDue(
  state: PolicyState,
  { now, isFrozen }: Pick<Cooldown, 'now' | 'isFrozen'>,
): PolicyState {
  if (isFrozen) return state
  const due = state.pending.filter(({ effectiveAt }) => effectiveAt <= now)
  if (due.length === 0) return state
  let { policy } = state
  for (const { control, value } of due) {
    const changed = decidePolicy(policy, { [control]: value })
    // The change was validated when it was requested, and its validity does not depend on the present value.
    if (!('kind' in changed)) policy = changed
  }
  return { policy, pending: state.pending.filter(each => !due.includes(each)) }
}

/** The controls whose requested value differs from what takes effect at once. */
function loosened(atOnce: SpendPolicy, wanted: SpendPolicy): ReadonlySet<PolicyControl> {
  const now = policyRecord(atOnce)
  const then = policyRecord(wanted)
  return new Set(POLICY_CONTROLS.filter(control => !isSame(now[control], then[control])))
}

function isSame(left: unknown, right: unknown): boolean {
  if (!Array.isArray(left) || !Array.isArray(right)) return left === right
  return left.length === right.length && new Set([...left, ...right]).size === left.length
}

/** The refusal of a change that would loosen a policy while the owner is frozen. */
export function frozenIncrease(): Refusal {
  return refuse(
    'conflict',
    'The owner is frozen, so nothing is raised until an administrator unfreezes the owner; lower limits and cancelling what waits still work',
  )
}

function tooManyBlocked(): Refusal {
  return refuse(
    'validation_error',
    `Agents that are unblocked stay blocked until the cooldown has passed, and these would be more than ${MAX_PAYEE_LIST} with the new ones`,
    { field: 'blocked_payee_agents' },
  )
}

/** The pending changes without the one of this control. */
export function withoutChange(
  pending: readonly PendingChange[],
  control: string,
): Refusal | readonly PendingChange[] {
  if (pending.some(change => change.control === control)) {
    return pending.filter(change => change.control !== control)
  }
  const isControl = POLICY_CONTROLS.some(each => each === control)
  const message = isControl
    ? `No change of ${control} is waiting`
    : `There is no such control; the controls are ${POLICY_CONTROLS.join(', ')}`
  return refuse('not_found', message, { field: 'control' })
}

/** The pending changes by control, as a response shows them. */
export function pendingRecord(pending: readonly PendingChange[]): PendingPolicy {
  return Object.fromEntries(
    pending.map(({ control, value, effectiveAt }) => [
      control,
      { value, effective_at: effectiveAt.toISOString() },
    ]),
  )
}

/** The actor of pending changes that take effect, also when a caller's own change applies them. */
export const LIMIT_INCREASES = service('limit increases')

/**
 * A change of a policy as the audit log records it: each changed control and, if they changed, the pending changes,
 * before and after. null if nothing changed: then nothing is recorded.
 */
export function policyFacts(before: PolicyState, after: PolicyState): FactData | null {
  const [was, is] = [policyRecord(before.policy), policyRecord(after.policy)]
  const controls = Object.fromEntries(
    POLICY_CONTROLS.filter(control => !isDeepStrictEqual(was[control], is[control])).map(control => [
      control,
      { from: was[control], to: is[control] },
    ]),
  )
  const waiting = { from: pendingRecord(before.pending), to: pendingRecord(after.pending) }
  const waits = !isDeepStrictEqual(waiting.from, waiting.to)
  if (!waits && Object.keys(controls).length === 0) return null
  return { controls, ...(waits && { waiting }) }
}
