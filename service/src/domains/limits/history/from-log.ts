import { TIER_LIMITS, TIERS, type Tier } from '@batua/contract'
import { arrayLiteral, textArrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { type Paise, paiseFromRupees } from '../../../kernel/money.ts'
import type { Actor } from '../../../operations/facts.ts'
import { OPEN_POLICY, type SpendPolicy, selectTierLimits, type TierLimits } from '../controls.ts'
import type { PolicyParts } from '../effective-policy.ts'
import type { PresentPolicy } from '../present-policies.ts'
import { decidePolicy, type PolicyChange } from '../spend-policy.ts'

/** What an agent's layers set from a moment on, according to the log. */
export interface PastPolicy {
  readonly fromMs: number
  readonly parts: PolicyParts
  readonly actor: Actor | null
}

interface Entry {
  readonly id: Uuid
  readonly action: string
  readonly target: string
  readonly type: Actor['type']
  readonly actor: string
  readonly data: Data
  readonly createdAt: Date
}

type Data = { readonly [name: string]: unknown }

const ENTRY = `e.id, e.action, e.target, e.actor_type as type, e.actor_id as actor, e.data::jsonb as data,
  e.created_at as "createdAt"`

const OF_AGENTS = `'agent.created', 'agent.updated', 'agent.policy_change_applied', 'agent.tier_changed',
  'org.member_added', 'org.member_changed', 'org.treasury_named', 'org.budget_change_applied', 'org.member_removed'`

/**
 * More entries than this are not read for one agent or owner; the oldest policy that is known then counts from its
 * creation.
 */
const MOST_ENTRIES = 1_000

/** The entries of the log about what the layers of agents set. */
export interface PolicyLog {
  readonly ofAgent: ReadonlyMap<Uuid, readonly Entry[]>
  readonly ofOwner: ReadonlyMap<string, readonly Entry[]>
  readonly ofTiers: readonly Entry[]
  readonly tiers: readonly TierLimits[]
}

export async function readPolicyLog(
  tx: Queryable,
  agents: ReadonlyMap<Uuid, Pick<PresentPolicy, 'ownerId'>>,
): Promise<PolicyLog> {
  const owners = [...new Set([...agents.values()].map(({ ownerId }) => formatId('own', ownerId)))]
  const ofAgents = await tx.query<Entry & { agent: Uuid }>(
    `select a.agent, e.* from unnest($1::uuid[]) a(agent) cross join lateral (
       select ${ENTRY} from audit_entries e where e.agent_id = a.agent and e.action in (${OF_AGENTS})
       order by e.id desc limit ${MOST_ENTRIES}) e`,
    [arrayLiteral([...agents.keys()])],
  )
  const ofTargets = (actions: string, targets: readonly string[]) =>
    tx.query<Entry>(
      `select e.* from unnest($1::text[]) t(target) cross join lateral (
         select ${ENTRY} from audit_entries e where e.target = t.target and e.action in (${actions})
         order by e.id desc limit ${MOST_ENTRIES}) e`,
      [textArrayLiteral(targets)],
    )
  const ofOwners = await ofTargets(`'owner.policy_changed', 'owner.policy_change_applied'`, owners)
  const ofTiers = await ofTargets(`'tier.changed'`, TIERS)
  return {
    ofAgent: Map.groupBy(ofAgents, ({ agent }) => agent),
    ofOwner: Map.groupBy(ofOwners, ({ target }) => target),
    ofTiers,
    tiers: await tx.query<TierLimits>(`select ${selectTierLimits('d')} from tier_defaults d`),
  }
}

/**
 * What an agent's layers have set since it was created, the oldest first: the present policy, without what each entry
 * changed. The last one is the present policy.
 */
export function pastPolicies(
  agentId: Uuid,
  { ownerId, createdAt, parts }: Pick<PresentPolicy, 'ownerId' | 'createdAt' | 'parts'>,
  log: PolicyLog,
): PastPolicy[] {
  const own = log.ofAgent.get(agentId) ?? []
  const entries = [...own, ...(log.ofOwner.get(formatId('own', ownerId)) ?? []), ...log.ofTiers]
    .filter(({ action, createdAt: at }) => action !== 'agent.created' && at >= createdAt)
    .toSorted((left, right) => (left.id < right.id ? 1 : -1))
  const budgets = budgetsAfter(entries.toReversed(), parts.budgetPaise)
  const past: PastPolicy[] = []
  let state: State = {
    ...parts,
    owner: parts.owner ?? OPEN_POLICY,
    tiers: { ...Object.fromEntries(log.tiers.map(each => [each.tier, each])), [parts.tier.tier]: parts.tier },
  }
  for (const entry of entries) {
    const actor = { type: entry.type, id: entry.actor }
    state = { ...state, budgetPaise: budgets.after.get(entry.id) ?? null }
    past.push({ fromMs: entry.createdAt.getTime(), parts: partsIn(state), actor })
    state = before(state, entry)
  }
  const created = own.find(({ action }) => action === 'agent.created')
  const actor = created === undefined ? null : { type: created.type, id: created.actor }
  past.push({ fromMs: createdAt.getTime(), parts: partsIn({ ...state, budgetPaise: budgets.first }), actor })
  return past.toReversed()
}

/** The layers while the entries are undone, and the limits of every tier, because an agent may have been in another. */
interface State extends PolicyParts {
  readonly owner: SpendPolicy
  readonly tiers: Readonly<Partial<Record<Tier, TierLimits>>>
}

function partsIn({ tier, owner, budgetPaise, agent }: State): PolicyParts {
  return { tier, owner, budgetPaise, agent }
}

function before(state: State, { action, target, data }: Entry): State {
  switch (action) {
    case 'agent.updated':
    case 'agent.policy_change_applied':
      return { ...state, agent: withoutChange(state.agent, data) }
    case 'owner.policy_changed':
    case 'owner.policy_change_applied':
      return { ...state, owner: withoutChange(state.owner, data) }
    case 'agent.tier_changed': {
      const from = TIERS.find(each => each === data['from'])
      return { ...state, tier: (from && state.tiers[from]) ?? state.tier }
    }
    case 'tier.changed': {
      const name = TIERS.find(each => each === target)
      const limits = name && state.tiers[name]
      if (name === undefined || limits === undefined) return state
      const was = tierWithoutChange(limits, data)
      const tiers = { ...state.tiers, [name]: was }
      return { ...state, tiers, tier: state.tier.tier === name ? was : state.tier }
    }
    default:
      return state
  }
}

/** The policy before a change that the log records as `controls: {control: {from, to}}`. */
function withoutChange(policy: SpendPolicy, data: Data): SpendPolicy {
  const changes = Object.entries(objectIn(data['controls'])).map(([control, change]) => [
    control,
    objectIn(change)['from'] ?? null,
  ])
  // The values were shown by the service itself.
  const undone = decidePolicy(policy, Object.fromEntries(changes) as PolicyChange)
  return 'kind' in undone ? policy : undone
}

function tierWithoutChange(limits: TierLimits, data: Data): TierLimits {
  const undone = TIER_LIMITS.flatMap(({ name }) => {
    const from = amountIn(objectIn(data[name])['from'])
    return from === null ? [] : [[name, from]]
  })
  return { ...limits, ...Object.fromEntries(undone) }
}

/**
 * The budget after each entry, the oldest first. Entries say what it is from then on; the last one led to the present.
 */
function budgetsAfter(
  entries: readonly Entry[],
  present: Paise | null,
): { readonly first: Paise | null; readonly after: ReadonlyMap<Uuid, Paise | null> } {
  const lastId = entries.findLast(({ action }) => action.startsWith('org.'))?.id
  const first = lastId === undefined ? present : null
  const after = new Map<Uuid, Paise | null>()
  let budget = first
  for (const entry of entries) {
    budget = entry.id === lastId ? present : budgetAfter(budget, entry)
    after.set(entry.id, budget)
  }
  return { first, after }
}

function budgetAfter(budget: Paise | null, { action, data }: Entry): Paise | null {
  switch (action) {
    case 'org.member_added':
      return amountIn(data['budget_limit'])
    case 'org.member_changed':
    case 'org.treasury_named':
      return amountIn(objectIn(data['to'])['budget_limit'])
    case 'org.budget_change_applied':
      return amountIn(data['to'])
    case 'org.member_removed':
      // Of an agent that left, the budget ends after the cooldown, which is another entry.
      return data['reason'] === 'agent deactivated' ? null : budget
    default:
      return budget
  }
}

function objectIn(value: unknown): Data {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function amountIn(value: unknown): Paise | null {
  return typeof value === 'number' ? paiseFromRupees(value) : null
}
