import type { allocate as allocateRoute, BodyOf, ResponseOf } from '@batua/contract'
import type { OwnerCaller } from '../../../http/caller.ts'
import { type Refusal, raise } from '../../../kernel/app-error.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { type Paise, requirePaise, rupees, ZERO_PAISE } from '../../../kernel/money.ts'
import { type Command, type LedgerBatch, read, readOne, type Transfer } from '../../../ledger/index.ts'
import { type Actor, actorOf, record } from '../../../operations/facts.ts'
import type { AgentPolicyCache } from '../../limits/index.ts'
import {
  forCaller,
  memberships,
  NO_ORGANIZATION,
  notMember,
  requireAgentId,
  requireOrganization,
} from '../../parties/index.ts'
import { allocatedFact } from '../facts.ts'
import { type KeyedMovement, keyUsed } from '../idempotency.ts'
import { prepareSpend, type Spending } from '../spend.ts'
import { type AllocationKey, earlierAllocations, ownKey } from './allocation-store.ts'
import { decideAllocation, decideParties } from './decide-allocation.ts'
import type { AllocationsContext } from './routes.ts'

export type Allocation = ResponseOf<typeof allocateRoute>

/** An allocation to a member, as its owner requests it. */
export interface AllocationOrder {
  readonly orgId: Uuid
  /** The treasury as it was when the owner sent the request. */
  readonly treasuryId: Uuid
  readonly agentId: Uuid
  readonly amountPaise: Paise
  /** The idempotency key by `ownKey`; null: the request has none. */
  readonly key: AllocationKey | null
  readonly actor: Actor
}

export async function allocate(
  { database, ledger, agents, vault }: AllocationsContext,
  caller: OwnerCaller,
  address: string,
  { agent_id, amount }: BodyOf<typeof allocateRoute>,
  idempotencyKey: string | undefined,
): Promise<Allocation> {
  const { id: orgId, ownerId, treasuryId } = await requireOrganization({ database, vault }, caller, address)
  const agentId = requireAgentId(agent_id)
  const amountPaise = requirePaise(amount, 'amount')
  const key = idempotencyKey === undefined ? null : ownKey(orgId, idempotencyKey)
  // Everything is checked again under the locks. Here it determines which accounts those are, and excludes strangers'
  // accounts.
  const earlier = key === null ? undefined : await readOne({ database, vault }, earlierAllocations, key)
  if (earlier !== undefined) raise(refusalOfKey(earlier, { agentId, amountPaise }))
  const member = await readOne({ database, vault }, memberships, agentId)
  const parties = decideParties({ orgId, treasuryId, agentId, member })
  if (parties.kind === 'refusal') raise(parties)
  const actor = actorOf(caller, ownerId)
  const order = { orgId, treasuryId: parties.treasuryId, agentId, amountPaise, key, actor }
  // Whatever the rows that were read before the locks contain, both wallets are the caller's.
  const ofMember = forCaller(
    agents,
    { caller, agentId, otherwise: notMember() },
    allocateCommand(agents, order),
  )
  const claim = { caller, agentId: order.treasuryId, otherwise: NO_ORGANIZATION }
  return ledger.submit(forCaller(agents, claim, ofMember))
}

/** Moves the money if all rules for the treasury's spending allow it. */
export function allocateCommand(agents: AgentPolicyCache, order: AllocationOrder): Command<Allocation> {
  const prepared = prepareSpend(agents, allocationSpending(agents, order))
  return {
    ...prepared,
    decide(batch) {
      const plan = prepared.decide(batch)
      return plan.kind === 'refusal' ? plan : resultOf(batch, order, prepared.post(batch).id)
    },
  }
}

/** An allocation as money that is spent. Its key belongs to the organization, whichever agent is the treasury. */
function allocationSpending(agents: AgentPolicyCache, order: AllocationOrder): Spending<Transfer> {
  const { orgId, treasuryId, agentId, amountPaise, key } = order
  const agentIds = [treasuryId, agentId]
  return {
    kind: 'allocation',
    app: null,
    ...{ payerId: treasuryId, payeeId: agentId, amountPaise, agentIds },
    key: null,
    limits: { escrowApplies: false },
    reads: [
      ...agentIds.map(id => read(memberships, id)),
      ...(key === null ? [] : [read(earlierAllocations, key)]),
    ],
    decide(batch, { checkLimits }) {
      const earlier = key === null ? undefined : batch.read(earlierAllocations, key)
      if (earlier !== undefined) return refusalOfKey(earlier, order)
      return decideAllocation({
        ...{ orgId, agentId, amountPaise, checkLimits },
        treasury: batch.read(memberships, treasuryId),
        member: batch.read(memberships, agentId),
        payer: agents.facts(batch, treasuryId),
        payerAccount: batch.account(treasuryId),
        payee: agents.facts(batch, agentId),
      })
    },
    post(batch) {
      const allocation = postAllocation(batch, order)
      if (key !== null) batch.set(earlierAllocations, key, allocation)
      return allocation
    },
  }
}

function refusalOfKey(
  earlier: KeyedMovement,
  { agentId, amountPaise }: Pick<AllocationOrder, 'agentId' | 'amountPaise'>,
): Refusal {
  const isSame = earlier.creditAccount === agentId && earlier.amountPaise === amountPaise
  return keyUsed(earlier, isSame, 'Idempotency-Key')
}

/** An allocation belongs to the organization, so its keys are found whichever agent is the treasury. */
function postAllocation(batch: LedgerBatch, order: AllocationOrder): Transfer {
  const { orgId, treasuryId, agentId, amountPaise, key } = order
  const transfer = batch.post({
    kind: 'allocation',
    debit: treasuryId,
    credit: agentId,
    amountPaise,
    linkedId: orgId,
    idempotencyKey: key?.key ?? null,
  })
  record(batch, allocatedFact(order.actor, orgId, transfer))
  return transfer
}

function resultOf(
  batch: LedgerBatch,
  { orgId, treasuryId, agentId, amountPaise }: AllocationOrder,
  id: Uuid,
): Allocation {
  return {
    org_id: formatId('org', orgId),
    agent_id: formatId('agt', agentId),
    amount: rupees(amountPaise),
    transaction_id: formatId('txn', id),
    treasury_balance: rupees(batch.account(treasuryId)?.balancePaise ?? ZERO_PAISE),
    agent_balance: rupees(batch.account(agentId)?.balancePaise ?? ZERO_PAISE),
  }
}
