import {
  ANY_PAYEE,
  type EffectivePolicy,
  type PolicyHeadroom,
  type PolicyLayer,
  THRESHOLD_CONTROLS,
} from '@batua/contract'
import { appOfCaller, type Caller } from '../../../http/caller.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { formatId } from '../../../kernel/ids.ts'
import { rupees, ZERO_PAISE } from '../../../kernel/money.ts'
import type { LedgerBatch } from '../../../ledger/index.ts'
import {
  type Layer,
  type Limit,
  type LimitUsage,
  maxAmountNow,
  type PendingChange,
  pendingRecord,
  remaining,
  selectOwnerPolicy,
  shownIn,
  type Usage,
  usageCommand,
} from '../../limits/index.ts'
import { requireAgentAccess } from '../agents/access.ts'
import type { Agent } from '../agents/store.ts'
import type { PolicySettingsContext } from './context.ts'

/** What an agent may still spend, computed by the same reads and rules as a payment. */
export async function showAgentPolicy(
  context: PolicySettingsContext,
  caller: Caller,
  agentRef: string,
  to: string | undefined,
): Promise<EffectivePolicy> {
  const agent = await requireAgentAccess(context.database, caller, agentRef)
  const payeeId = to === undefined ? null : await context.findAgent(to)
  if (to !== undefined && payeeId === null) {
    throw new AppError('not_found', 'There is no agent with this id or handle', { field: 'to' })
  }
  const { pending } = await selectOwnerPolicy(context.database, agent.ownerId)
  return context.ledger.submit(
    usageCommand(
      context.agents,
      { agentId: agent.id, payeeId, appId: appOfCaller(caller)?.id },
      (batch, usage) => effectivePolicy(batch, { agent, ownerPending: pending }, usage),
    ),
  )
}

/** The policy that is shown, with its pending changes. */
interface Subject {
  readonly agent: Agent
  readonly ownerPending: readonly PendingChange[]
}

function effectivePolicy(
  { nowMs }: LedgerBatch,
  { agent, ownerPending }: Subject,
  { agent: { status, layers, policyVersion }, facts, limits }: Usage,
): EffectivePolicy {
  const most = status === 'active' ? maxAmountNow(facts, limits) : ZERO_PAISE
  return {
    agent_id: formatId('agt', agent.id),
    status,
    tier: agent.tier,
    limits: limits.map(headroom),
    thresholds: thresholdsOf(layers),
    allowed_payees: allowedPayees(layers),
    blocked_payee_agents: blockedPayees(layers),
    max_amount_now: most === null ? null : rupees(most),
    pending_policy: pendingRecord(agent.pending),
    owner_pending_policy: pendingRecord(ownerPending),
    policy_version: policyVersion,
    as_of: new Date(nowMs).toISOString(),
  }
}

export function headroom(usage: LimitUsage): PolicyHeadroom {
  const { rule, layer, window, limit, used, resetsAtMs } = usage
  const left = remaining(usage)
  return {
    rule,
    layer,
    window,
    limit: shownIn(usage, limit),
    used: used === null ? null : shownIn(usage, used),
    remaining: left === null ? null : shownIn(usage, left),
    resets_at: resetsAtMs === null ? null : new Date(resetsAtMs).toISOString(),
  }
}

/** A limit as it was at a past moment. */
export function limitWithoutUse(
  layer: PolicyLayer,
  { rule, measures, window, limit }: Limit,
): PolicyHeadroom {
  return {
    ...{ rule, layer, window, limit: shownIn({ measures }, limit) },
    ...{ used: null, remaining: null, resets_at: null },
  }
}

export function thresholdsOf(layers: readonly Layer[]): EffectivePolicy['thresholds'] {
  return layers.flatMap(({ layer, thresholds }) =>
    THRESHOLD_CONTROLS.flatMap(rule => {
      const above = thresholds[rule]
      return above === null ? [] : [{ rule, layer, above: rupees(above) }]
    }),
  )
}

/** The payees that every layer allows. */
export function allowedPayees(layers: readonly Layer[]): string[] {
  const lists = layers.flatMap(layer => (layer.allowedPayees === null ? [] : [layer.allowedPayees]))
  const [first, ...others] = lists
  if (first === undefined) return [ANY_PAYEE]
  return [...first].filter(id => others.every(list => list.has(id))).map(id => formatId('agt', id))
}

/** The payees that any layer blocks. */
export function blockedPayees(layers: readonly Layer[]): string[] {
  const blocked = new Set(layers.flatMap(layer => [...(layer.blockedPayees ?? [])]))
  return [...blocked].map(id => formatId('agt', id))
}
