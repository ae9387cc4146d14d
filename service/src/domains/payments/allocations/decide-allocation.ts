import { type Refusal, refuse } from '../../../kernel/app-error.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { type Paise, ZERO_PAISE } from '../../../kernel/money.ts'
import type { Account } from '../../../ledger/index.ts'
import type { AgentFacts } from '../../limits/index.ts'
import { type Membership, notMember } from '../../parties/index.ts'
import { canReceive, decideBalance, decideSender } from '../decide.ts'
import type { SpendPlan } from '../spend.ts'

const FIELD = 'agent_id'

/** The treasury and the receiving agent, as far as they are known without a lock. */
export interface Parties {
  readonly orgId: Uuid
  readonly treasuryId: Uuid | null
  readonly agentId: Uuid
  /** The membership of the agent that is to receive the money. */
  readonly member: Membership | undefined
}

/** Checks that the organization has a treasury and that the agent may receive from it. */
export function decideParties({
  orgId,
  treasuryId,
  agentId,
  member,
}: Parties): Refusal | { readonly kind: 'parties'; readonly treasuryId: Uuid } {
  if (treasuryId === null) {
    return refuse('conflict', 'The organization has no treasury; name one with POST …/treasury first')
  }
  if (member?.orgId !== orgId) return notMember()
  if (agentId === treasuryId) {
    return refuse('validation_error', 'This agent is the treasury itself; allocate to another member', {
      field: FIELD,
    })
  }
  return { kind: 'parties', treasuryId }
}

/** The facts that allocating depends on, read under the locks of both accounts. */
export interface AllocationFacts {
  readonly orgId: Uuid
  readonly agentId: Uuid
  readonly amountPaise: Paise
  /** The membership of the agent that was the treasury when the owner sent the request. */
  readonly treasury: Membership | undefined
  readonly member: Membership | undefined
  readonly payer: AgentFacts | undefined
  readonly payerAccount: Account | undefined
  readonly payee: AgentFacts | undefined
  /** Checks the treasury's limits; called only when everything before them allows the allocation. */
  readonly checkLimits: () => Refusal | null
}

/**
 * The rules of allocations: those of payments without payee rules and thresholds, which do not apply to one's own
 * agents.
 */
export function decideAllocation(facts: AllocationFacts): Refusal | SpendPlan {
  const { orgId, agentId, treasury, member, payer, payerAccount, payee, amountPaise } = facts
  const isTreasury = treasury?.orgId === orgId && treasury.role === 'treasury'
  if (!isTreasury || payer === undefined || payerAccount === undefined) {
    return refuse('conflict', 'The treasury was changed meanwhile; ask for the organization and try again')
  }
  if (member?.orgId !== orgId || payee === undefined) return notMember()
  const stopped = decideSender(payer.status)
  if (stopped !== null) return stopped
  if (!canReceive(payee.status)) {
    return refuse('validation_error', `The member is ${payee.status} and cannot receive money`, {
      field: FIELD,
      details: { agent_id: formatId('agt', agentId), status: payee.status },
    })
  }
  const overLimit = facts.checkLimits()
  if (overLimit !== null) return ofMember(overLimit)
  return decideBalance(payerAccount.balancePaise, amountPaise, ZERO_PAISE) ?? { kind: 'proceed' }
}

/** The rules of payments name the field `to`; here the member has its own field. */
function ofMember(refusal: Refusal): Refusal {
  return refusal.field === 'to' ? { ...refusal, field: FIELD } : refusal
}
