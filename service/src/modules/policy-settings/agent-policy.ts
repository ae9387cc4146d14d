import { type AgentStatus, ANY_PAYEE, type EffectivePolicy, type PolicyHeadroom } from '@batua/contract'
import type { Caller } from '../../http/caller.ts'
import { AppError, type Refusal, refuse } from '../../kernel/app-error.ts'
import { formatId, type Uuid } from '../../kernel/ids.ts'
import { rupees, ZERO_PAISE } from '../../kernel/money.ts'
import type { Book, Command } from '../../ledger/index.ts'
import { type Agent, requireAgentAccess } from '../agents/index.ts'
import {
  type AgentRegister,
  factsOf,
  type Layer,
  limitSteps,
  makeExact,
  maxAmountNow,
  type PendingChange,
  pendingRecord,
  planExactly,
  remaining,
  type Spend,
  type Standing,
  selectOwnerPolicy,
  standingsOf,
} from '../policies/index.ts'
import type { PolicySettingsContext } from './context.ts'

/** What an agent may still spend: asked in the same way, and of the same rules, as a payment asks. */
export async function showAgentPolicy(
  context: PolicySettingsContext,
  caller: Caller,
  address: string,
  to: string | undefined,
): Promise<EffectivePolicy> {
  const agent = await requireAgentAccess(context.database, caller, address)
  const payeeId = to === undefined ? null : await context.findAgent(to)
  if (to !== undefined && payeeId === null) {
    throw new AppError('not_found', 'There is no agent with this id or handle', { field: 'to' })
  }
  const { pending } = await selectOwnerPolicy(context.database, agent.ownerId)
  return context.ledger.submit(headroomCommand(context.agents, { agent, ownerPending: pending }, payeeId))
}

/** Whose policy is shown, with what waits to loosen it. */
interface Subject {
  readonly agent: Agent
  readonly ownerPending: readonly PendingChange[]
}

function headroomCommand(
  agents: AgentRegister,
  subject: Subject,
  payeeId: Uuid | null,
): Command<EffectivePolicy> {
  const { agent } = subject
  const spendOf = (book: Book): Spend | null => {
    const facts = agents.facts(book, agent.id)
    const payer = book.account(agent.id)
    if (facts === undefined || payer === undefined) return null
    planExactly(payer)
    const { layers, ceiling } = facts
    return { layers, ceiling, payer, payeeId, amountPaise: ZERO_PAISE, escrowApplies: true }
  }
  return {
    accounts: [agent.id],
    needs: [],
    steps: [book => agents.needs(book, [agent.id]), ...limitSteps(spendOf)],
    decide(book): Refusal | EffectivePolicy {
      const spend = spendOf(book)
      const status = agents.facts(book, agent.id)?.status
      if (spend === null || status === undefined) return refuse('not_found', 'There is no agent with this id')
      makeExact(book, spend)
      return effectivePolicy(book, subject, { spend, status })
    },
  }
}

function effectivePolicy(
  book: Book,
  { agent, ownerPending }: Subject,
  { spend, status }: { readonly spend: Spend; readonly status: AgentStatus },
): EffectivePolicy {
  const { layers } = spend
  const facts = factsOf(book, spend)
  const standings = standingsOf(facts)
  const most = status === 'active' ? maxAmountNow(facts, standings) : ZERO_PAISE
  return {
    agent_id: formatId('agt', agent.id),
    status,
    tier: agent.tier,
    limits: standings.map(headroom),
    thresholds: thresholdsOf(layers),
    allowed_payees: allowedPayees(layers),
    blocked_payee_agents: blockedPayees(layers),
    max_amount_now: most === null ? null : rupees(most),
    pending_policy: pendingRecord(agent.pending),
    owner_pending_policy: pendingRecord(ownerPending),
    as_of: new Date(book.nowMs).toISOString(),
  }
}

function headroom(standing: Standing): PolicyHeadroom {
  const { rule, layer, window, limit, used, resetsAtMs } = standing
  const left = remaining(standing)
  const shown = (amount: bigint) => (rule === 'max_counterparties_per_hour' ? Number(amount) : rupees(amount))
  return {
    rule: rule as PolicyHeadroom['rule'],
    layer,
    window,
    limit: shown(limit),
    used: used === null ? null : shown(used),
    remaining: left === null ? null : shown(left),
    resets_at: resetsAtMs === null ? null : new Date(resetsAtMs).toISOString(),
  }
}

function thresholdsOf(layers: readonly Layer[]): EffectivePolicy['thresholds'] {
  return layers.flatMap(({ layer, controls }) => {
    const { requireEscrowAbovePaise: escrow, requireApprovalAbovePaise: approval } = controls
    return [
      ...(escrow === null ? [] : [{ rule: 'require_escrow_above' as const, layer, above: rupees(escrow) }]),
      ...(approval === null
        ? []
        : [{ rule: 'require_human_approval_above' as const, layer, above: rupees(approval) }]),
    ]
  })
}

/** Whom every layer allows. */
function allowedPayees(layers: readonly Layer[]): string[] {
  const lists = layers.flatMap(({ controls }) =>
    controls.allowedPayees === null ? [] : [controls.allowedPayees],
  )
  const [first, ...others] = lists
  if (first === undefined) return [ANY_PAYEE]
  return [...first].filter(id => others.every(list => list.has(id))).map(id => formatId('agt', id))
}

/** Whom any layer blocks. */
function blockedPayees(layers: readonly Layer[]): string[] {
  const blocked = new Set(layers.flatMap(({ controls }) => [...(controls.blockedPayees ?? [])]))
  return [...blocked].map(id => formatId('agt', id))
}
