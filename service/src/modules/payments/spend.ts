import type { Refusal } from '../../kernel/app-error.ts'
import { assert } from '../../kernel/assert.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { Paise } from '../../kernel/money.ts'
import { type Book, type Command, type Need, need } from '../../ledger/index.ts'
import {
  type Approval,
  type ApprovalRequest,
  type Approved,
  approvals,
  closeApproval,
  decidePlace,
  openApproval,
  placeNeeds,
  requestApproval,
} from '../approvals/index.ts'
import type { Actor } from '../audit/index.ts'
import {
  type AgentRegister,
  checkLimits,
  countSpend,
  limitSteps,
  type Spend,
  type Threshold,
} from '../policies/index.ts'
import { type PayerKey, type Use, usedKeys, useInForce } from './uses.ts'

/** Money that an agent is to spend: a payment, a hold or an allocation. `post` moves it and records the facts. */
export interface Spending<Posted extends { readonly id: Uuid }> {
  /** The kind of the transfer that `post` makes. */
  readonly kind: 'payment' | 'escrow_hold' | 'allocation'
  readonly payerId: Uuid
  /** The agents whose accounts are locked, the payer included. */
  readonly agentIds: readonly Uuid[]
  /** The payee that the limits are asked about; null: nobody is named yet. */
  readonly payeeId: Uuid | null
  readonly amountPaise: Paise
  /** Which of the limits apply. */
  readonly limits: Pick<Spend, 'escrowApplies' | 'only'>
  /** The payer's key for it, which is used once. */
  readonly idempotencyKey: string | null
  /** What its own rules read beside accounts, agents, the key and the limits. */
  readonly needs?: readonly Need[]
  /** The rules in their order, pure. Nothing has been posted yet. */
  decide(book: Book, checks: SpendChecks): Refusal | SpendPlan
  post(book: Book): Posted
  /** Shows the commands that follow in the batch what else than the key was used up. */
  noteUse?(book: Book, use: Use): void
}

/** What the rules of every kind of spending ask. */
export interface SpendChecks {
  /** What used the idempotency key before, or reserves it while it waits for approval. */
  readonly sameKey: Use | undefined
  /** The approval that is being carried out: what it has reserved is no obstacle. */
  readonly approvalId: Uuid | null
  /** Asks the limits; called only when everything before them allows the spending. */
  checkLimits(): Refusal | null
}

/** Nothing is in the way, or nothing but that the owner must approve. */
export type SpendPlan = { readonly kind: 'proceed' } | { readonly kind: 'ask'; readonly threshold: Threshold }

/** What spending, carrying out an approval and a dry run share. `decide` comes before `post`. */
export interface PreparedSpend<Posted> extends Omit<Command<object>, 'decide'> {
  decide(book: Book): Refusal | SpendPlan
  post(book: Book): Posted
  noteUse(book: Book, use: Use): void
}

/** Posts, or asks the owner for approval: decided and written in one commit with its neighbours. */
export function spendCommand<Posted extends { readonly id: Uuid }, Answer extends object>(
  agents: AgentRegister,
  spending: Spending<Posted>,
  approval: { readonly request: Omit<ApprovalRequest, 'layer'>; readonly actor: Actor },
  answer: {
    readonly posted: (posted: Posted) => Answer
    readonly waiting: (approval: Approval, book: Book) => Answer
  },
): Command<Answer> {
  const prepared = prepareSpend(agents, spending)
  const { payerId, amountPaise } = spending
  return {
    ...prepared,
    steps: [...(prepared.steps ?? []), book => placeNeeds(agents.facts(book, payerId), amountPaise)],
    decide(book) {
      const plan = prepared.decide(book)
      if (plan.kind === 'refusal') return plan
      if (plan.kind === 'proceed') return answer.posted(prepared.post(book))
      const full = decidePlace(book, payerId)
      if (full !== null) return full
      const { layer } = plan.threshold
      const asked = requestApproval(book, { ...approval.request, layer }, approval.actor)
      prepared.noteUse(book, { kind: 'approval', id: asked.id, expiresAt: asked.expiresAt })
      return answer.waiting(asked, book)
    },
  }
}

/** Decides once more, as of now, and spends in the commit that closes the approval. */
export function spendApproved<Posted extends { readonly id: Uuid }>(
  agents: AgentRegister,
  spending: Spending<Posted>,
  { approval, actor }: { readonly approval: Approval; readonly actor: Actor },
  madeOf: (posted: Posted) => Approved['made'],
): Command<Approved> {
  const prepared = prepareSpend(agents, spending, approval.id)
  return {
    ...prepared,
    needs: [need(approvals, approval), ...prepared.needs],
    decide(book) {
      const waiting = openApproval(book, approval)
      if (waiting.kind === 'refusal') return waiting
      const plan = prepared.decide(book)
      if (plan.kind === 'refusal') return plan
      assert(plan.kind === 'proceed', 'what the owner approves needs no further approval')
      const posted = prepared.post(book)
      const approved = closeApproval(book, waiting, { status: 'approved', madeId: posted.id, actor })
      return { approval: approved, made: madeOf(posted) }
    },
  }
}

export function prepareSpend<Posted extends { readonly id: Uuid }>(
  agents: AgentRegister,
  spending: Spending<Posted>,
  approvalId: Uuid | null = null,
): PreparedSpend<Posted> {
  const { payerId, agentIds, idempotencyKey, needs = [] } = spending
  const keyed: PayerKey | null = idempotencyKey === null ? null : { payer: payerId, key: idempotencyKey }
  let asked: { readonly book: Book; readonly spend: Spend | null } | null = null

  /** Asked at every step and the same for all of one batch, whose facts are there before the first. */
  function spendIn(book: Book): Spend | null {
    if (asked?.book !== book) asked = { book, spend: spendOf(book, agents, spending) }
    return asked.spend
  }

  function noteUse(book: Book, use: Use): void {
    if (keyed !== null) book.setFact(usedKeys, keyed, use)
    spending.noteUse?.(book, use)
  }

  return {
    accounts: agentIds,
    needs: keyed === null ? needs : [need(usedKeys, keyed), ...needs],
    steps: [book => agents.needs(book, agentIds), ...limitSteps(spendIn)],
    decide: book =>
      spending.decide(book, {
        sameKey: keyed === null ? undefined : useInForce(book.fact(usedKeys, keyed), book.nowMs, approvalId),
        approvalId,
        checkLimits() {
          const spend = spendIn(book)
          return spend === null ? null : checkLimits(book, spend)
        },
      }),
    noteUse,
    post(book) {
      const posted = spending.post(book)
      noteUse(book, { kind: spending.kind, id: posted.id })
      const spend = spendIn(book)
      if (spend !== null) countSpend(book, spend)
      return posted
    },
  }
}

/** What the limits are asked about; null while there is no payer. */
function spendOf(
  book: Book,
  agents: AgentRegister,
  { payerId, payeeId, amountPaise, limits }: Spending<{ readonly id: Uuid }>,
): Spend | null {
  const facts = agents.facts(book, payerId)
  const payer = book.account(payerId)
  if (facts === undefined || payer === undefined) return null
  const { layers, ceiling } = facts
  return { layers, ceiling, payer, payeeId, amountPaise, ...limits }
}
