import type { Approval as ApprovalRecord } from '@batua/contract'
import type { Uuid } from '../../../kernel/ids.ts'
import { rupees } from '../../../kernel/money.ts'
import type { Ledger } from '../../../ledger/index.ts'
import {
  type AgentPolicyCache,
  type LimitUsage,
  shownIn,
  type Usage,
  type UsageOf,
  usageCommand,
} from '../../limits/index.ts'
import { type Approval, appOf } from './approval.ts'
import { statusAt } from './decide.ts'
import type { PaidBefore, PaidBeforeCounts } from './paid-before.ts'

/** What an owner reads about a request that waits, besides the request. */
export type DecisionFacts = Pick<
  ApprovalRecord,
  'first_payment_to_payee' | 'paid_to_payee_before' | 'headroom_after'
>

/** Nothing is shown of a request that was decided: the facts have changed since, by the payment itself. */
export const NO_FACTS: DecisionFacts = {
  first_payment_to_payee: null,
  paid_to_payee_before: null,
  headroom_after: null,
}

export interface DecisionFactsContext {
  readonly ledger: Ledger
  readonly agents: AgentPolicyCache
  readonly paidBefore: PaidBeforeCounts
}

/** The facts of those of these approvals that wait, by id. Those of one agent and payee share what is read. */
export async function decisionFacts(
  context: DecisionFactsContext,
  approvals: readonly Approval[],
  now: Date,
): Promise<ReadonlyMap<Uuid, DecisionFacts>> {
  const read = new Map<string, Promise<ReadFacts | null>>()
  const waiting = approvals.filter(each => statusAt(each, now.getTime()).status === 'pending_approval')
  const found = waiting.map(async approval => {
    const { id, agentId, payeeId, terms } = approval
    const appId = appOf(terms)?.id
    const key = `${agentId} ${payeeId} ${appId}`
    // What cannot be read now, such as an agent whose row was altered, must not hide the other requests.
    const facts = read.get(key) ?? readFacts(context, { agentId, payeeId, appId }).catch(() => null)
    read.set(key, facts)
    return [id, factsOf(approval, await facts)] as const
  })
  return new Map(await Promise.all(found))
}

interface ReadFacts {
  readonly usage: Usage
  /** null: no payee is named. */
  readonly paid: PaidBefore | null
}

function factsOf(approval: Approval, read: ReadFacts | null): DecisionFacts {
  if (read === null) return NO_FACTS
  const { usage, paid } = read
  return {
    first_payment_to_payee: paid === null ? null : paid.count === 0,
    paid_to_payee_before: paid === null ? null : rupees(paid.paise),
    headroom_after: headroomAfter(approval, usage),
  }
}

async function readFacts(
  { ledger, agents, paidBefore }: DecisionFactsContext,
  of: UsageOf,
): Promise<ReadFacts> {
  const { agentId, payeeId } = of
  const [usage, paid] = await Promise.all([
    ledger.submit(usageCommand(agents, of, (_, usage) => usage)),
    payeeId === null ? null : paidBefore.of(agentId, payeeId),
  ])
  return { usage, paid }
}

/** What would remain of each limit if the request were approved now. */
function headroomAfter(approval: Approval, usage: Usage): DecisionFacts['headroom_after'] {
  return usage.limits.map(limit => {
    const left = leftAfter(approval, limit, usage)
    return {
      rule: limit.rule,
      layer: limit.layer,
      limit: shownIn(limit, limit.limit),
      remaining: left === null ? null : shownIn(limit, left),
    }
  })
}

function leftAfter(
  { amountPaise, payeeId }: Approval,
  { measures, window, limit, used }: LimitUsage,
  { facts: { counterparty } }: Usage,
): bigint | null {
  if (used === null) return null
  if (measures === 'payees') {
    if (payeeId === null) return null
    return limit - used - (counterparty?.paidRecently === true ? 0n : 1n)
  }
  // A limit on each payment is not used up by one that it allows.
  if (window === 'payment') return amountPaise > limit ? limit - amountPaise : limit
  return limit - used - amountPaise
}
