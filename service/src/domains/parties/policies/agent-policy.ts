import {
  type AgentStatus,
  ANY_PAYEE,
  type EffectivePolicy,
  type PolicyHeadroom,
  THRESHOLD_CONTROLS,
} from '@batua/contract'
import type { Caller } from '../../../http/caller.ts'
import { AppError, type Refusal, refuse } from '../../../kernel/app-error.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { rupees, ZERO_PAISE } from '../../../kernel/money.ts'
import type { Command, LedgerBatch } from '../../../ledger/index.ts'
import {
  type AgentPolicyCache,
  factsOf,
  type Layer,
  type LimitUsage,
  limitPhases,
  limitUsages,
  makeExact,
  maxAmountNow,
  type PendingChange,
  pendingRecord,
  planExactly,
  remaining,
  type Spend,
  selectOwnerPolicy,
  shownIn,
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
  return context.ledger.submit(headroomCommand(context.agents, { agent, ownerPending: pending }, payeeId))
}

/** The policy that is shown, with its pending changes. */
interface Subject {
  readonly agent: Agent
  readonly ownerPending: readonly PendingChange[]
}

function headroomCommand(
  agents: AgentPolicyCache,
  subject: Subject,
  payeeId: Uuid | null,
): Command<EffectivePolicy> {
  const { agent } = subject
  const spendOf = (batch: LedgerBatch): Spend | null => {
    const facts = agents.facts(batch, agent.id)
    const payer = batch.account(agent.id)
    if (facts === undefined || payer === undefined) return null
    planExactly(payer)
    const { layers, ceiling } = facts
    return { layers, ceiling, payer, payeeId, amountPaise: ZERO_PAISE, escrowApplies: true }
  }
  return {
    accounts: [agent.id],
    reads: [],
    phases: [batch => agents.reads(batch, [agent.id]), ...limitPhases(spendOf)],
    decide(batch): Refusal | EffectivePolicy {
      const spend = spendOf(batch)
      const status = agents.facts(batch, agent.id)?.status
      if (spend === null || status === undefined) return refuse('not_found', 'There is no agent with this id')
      makeExact(batch, spend)
      return effectivePolicy(batch, subject, { spend, status })
    },
  }
}

function effectivePolicy(
  batch: LedgerBatch,
  { agent, ownerPending }: Subject,
  { spend, status }: { readonly spend: Spend; readonly status: AgentStatus },
): EffectivePolicy {
  const { layers } = spend
  const facts = factsOf(batch, spend)
  const usages = limitUsages(facts)
  const most = status === 'active' ? maxAmountNow(facts, usages) : ZERO_PAISE
  return {
    agent_id: formatId('agt', agent.id),
    status,
    tier: agent.tier,
    limits: usages.map(headroom),
    thresholds: thresholdsOf(layers),
    allowed_payees: allowedPayees(layers),
    blocked_payee_agents: blockedPayees(layers),
    max_amount_now: most === null ? null : rupees(most),
    pending_policy: pendingRecord(agent.pending),
    owner_pending_policy: pendingRecord(ownerPending),
    as_of: new Date(batch.nowMs).toISOString(),
  }
}

function headroom(usage: LimitUsage): PolicyHeadroom {
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

function thresholdsOf(layers: readonly Layer[]): EffectivePolicy['thresholds'] {
  return layers.flatMap(({ layer, thresholds }) =>
    THRESHOLD_CONTROLS.flatMap(rule => {
      const above = thresholds[rule]
      return above === null ? [] : [{ rule, layer, above: rupees(above) }]
    }),
  )
}

/** The payees that every layer allows. */
function allowedPayees(layers: readonly Layer[]): string[] {
  const lists = layers.flatMap(layer => (layer.allowedPayees === null ? [] : [layer.allowedPayees]))
  const [first, ...others] = lists
  if (first === undefined) return [ANY_PAYEE]
  return [...first].filter(id => others.every(list => list.has(id))).map(id => formatId('agt', id))
}

/** The payees that any layer blocks. */
function blockedPayees(layers: readonly Layer[]): string[] {
  const blocked = new Set(layers.flatMap(layer => [...(layer.blockedPayees ?? [])]))
  return [...blocked].map(id => formatId('agt', id))
}
