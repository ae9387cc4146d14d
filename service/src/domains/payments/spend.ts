import type { ApprovalRule, ErrorCode } from '@batua/contract'
import type { Refusal } from '../../kernel/app-error.ts'
import { assert } from '../../kernel/assert.ts'
import { formatId, type Uuid } from '../../kernel/ids.ts'
import { type Paise, ZERO_PAISE } from '../../kernel/money.ts'
import { type Command, type LedgerBatch, type Read, read, type Transfer } from '../../ledger/index.ts'
import type { Actor } from '../../operations/facts.ts'
import {
  type AgentFacts,
  type AgentPolicyCache,
  type AppKey,
  appCap,
  appReads,
  approvalNeeded,
  checkLimits,
  countAppSpend,
  countSpend,
  limitPhases,
  refuseApprovalOf,
  refuseEndedApp,
  type Spend,
  type Threshold,
} from '../limits/index.ts'
import type { Allowance } from './allowances/allowance.ts'
import { allowanceFor, allowanceReads, countUse, openAllowancesRead } from './allowances/change-allowance.ts'
import {
  type Approval,
  type ApprovalRequest,
  type Approved,
  type Approver,
  withPolicyVersion,
} from './approvals/approval.ts'
import {
  closeApproval,
  decidePlace,
  openApproval,
  requestApproval,
  waitingRead,
} from './approvals/change-approval.ts'
import { approvals } from './approvals/store.ts'
import { type KeyUse, keyCheck, type RequestKey } from './idempotency.ts'

/**
 * Money that an agent is to spend: a payment, a hold, an authorization or an allocation. `post` moves it and records
 * the facts.
 */
export interface Spending<Posted extends { readonly id: Uuid }> {
  /** The kind of the transfer that `post` creates. */
  readonly kind: 'payment' | 'escrow_hold' | 'authorization' | 'allocation'
  readonly payerId: Uuid
  /** The agents whose accounts are locked, the payer included. */
  readonly agentIds: readonly Uuid[]
  /** The payee that the limits are checked for; null: no agent is named yet. */
  readonly payeeId: Uuid | null
  readonly amountPaise: Paise
  /** The owner has to approve, whatever the amount and whatever she allowed before. */
  readonly asksOwner?: boolean
  /** The app that spends for the payer; null: the agent itself, its owner or its platform does. */
  readonly app: AppKey | null
  /** Which of the limits apply. */
  readonly limits: Pick<Spend, 'escrowApplies' | 'only'>
  /** The key of the payer's wallet, which is used once. */
  readonly key: RequestKey | null
  /** What its own rules read besides accounts, agents, the key and the limits. */
  readonly reads?: readonly Read[]
  /** The rules in their order, pure. Nothing has been posted yet. */
  decide(batch: LedgerBatch, checks: SpendChecks): Refusal | SpendPlan
  post(batch: LedgerBatch): Posted
  /** Shows the later commands of the batch what was used besides the key. */
  noteUse?(batch: LedgerBatch, use: KeyUse): void
}

/** The facts that the rules of every kind of spending depend on. */
export interface SpendChecks {
  /** The refusal for an idempotency key that was used, or that a request reserves while it waits for approval. */
  readonly keyUsed: Refusal | null
  /** The approval that is being executed: what it has reserved does not block it. */
  readonly approvalId: Uuid | null
  /** Checks the limits; called only when everything before them allows the spending. */
  checkLimits(): Refusal | null
}

/** No rule refuses, or only the owner's approval is missing. */
export type SpendPlan =
  | {
      readonly kind: 'proceed'
      /** What approves it beforehand; absent: it needs no approval. */
      readonly allowance?: Allowance
    }
  | NeedsApproval

/** Only the owner's approval is missing: above a threshold, or because the agent asks for it. */
export interface NeedsApproval extends Threshold {
  readonly kind: 'needs_approval'
  readonly rule: ApprovalRule
}

export function aboveThreshold(threshold: Threshold): NeedsApproval {
  return { kind: 'needs_approval', rule: 'require_human_approval_above', ...threshold }
}

export const ASKED_BY_AGENT: NeedsApproval = {
  kind: 'needs_approval',
  rule: 'require_approval',
  layer: 'agent',
  abovePaise: ZERO_PAISE,
}

/** What an approval is requested for, without why. */
export type RequestTerms = Omit<ApprovalRequest, 'rule' | 'layer'>

/** What spending, executing an approval and a dry run share. `decide` comes before `post`. */
export interface PreparedSpend<Posted> extends Required<Omit<Command<object>, 'decide'>> {
  decide(batch: LedgerBatch): Refusal | SpendPlan
  post(batch: LedgerBatch): Posted
  noteUse(batch: LedgerBatch, use: KeyUse): void
}

/** Posts, or requests the owner's approval: decided and written in one commit with other commands of the batch. */
export function spendCommand<Posted extends { readonly id: Uuid }, Reply extends object>(
  agents: AgentPolicyCache,
  spending: Spending<Posted>,
  /** Called only when the owner has to approve, because most payments need no approval. */
  approval: () => { readonly request: RequestTerms; readonly actor: Actor },
  response: {
    readonly posted: (posted: Posted, policyVersion: string) => Reply
    readonly waiting: (approval: Approval, batch: LedgerBatch) => Reply
  },
): Command<Reply> {
  const prepared = prepareRequest(agents, spending)
  return {
    ...prepared,
    decide(batch) {
      const plan = prepared.decide(batch)
      if (plan.kind === 'refusal') return plan
      const policyVersion = policyVersionIn(batch, agents, spending)
      if (plan.kind === 'proceed') {
        const posted = prepared.post(batch)
        if (plan.allowance !== undefined)
          countUse(batch, plan.allowance, transferOf(batch, posted), approval().actor)
        return response.posted(posted, policyVersion)
      }
      const { rule, layer } = plan
      const { request, actor } = approval()
      const terms = withPolicyVersion(request.terms, policyVersion)
      const asked = requestApproval(batch, { ...request, terms, rule, layer }, actor)
      const { id, expiresAt } = asked
      prepared.noteUse(batch, { kind: 'approval', id, expiresAt, request: asked })
      return response.waiting(asked, batch)
    },
  }
}

/** Decides again, as of now, and spends in the commit that closes the approval. */
export function spendApproved<Posted extends { readonly id: Uuid }>(
  agents: AgentPolicyCache,
  spending: Spending<Posted>,
  { approval, approver }: { readonly approval: Approval; readonly approver: Approver },
  madeOf: (posted: Posted, policyVersion: string) => Omit<Approved, 'approval'>,
): Command<Approved> {
  const prepared = prepareSpend(agents, spending, approval.id)
  return {
    ...prepared,
    reads: [read(approvals, approval), ...prepared.reads],
    decide(batch) {
      const waiting = openApproval(batch, approval)
      if (waiting.kind === 'refusal') return waiting
      const plan = prepared.decide(batch)
      if (plan.kind === 'refusal') return plan
      assert(plan.kind === 'proceed', 'an approved request needs no further approval')
      const posted = prepared.post(batch)
      const policyVersion = policyVersionIn(batch, agents, spending)
      const approved = closeApproval(batch, waiting, { ...approver, status: 'approved', madeId: posted.id })
      return { approval: approved, ...madeOf(posted, policyVersion) }
    },
  }
}

const NO_READS: readonly Read[] = []

/** A spending that may need the owner's approval, which is refused while the most that may wait do. */
export function prepareRequest<Posted extends { readonly id: Uuid }>(
  agents: AgentPolicyCache,
  spending: Spending<Posted>,
): PreparedSpend<Posted> {
  const prepared = prepareSpend(agents, spending)
  const { payerId, amountPaise, asksOwner = false } = spending
  // An allocation stays with the owner, whose allowances are for payees.
  const spent = { payeeId: spending.kind === 'allocation' ? null : spending.payeeId, amountPaise }
  const mayNeedApproval = (batch: LedgerBatch) => {
    const payer = agents.facts(batch, payerId)
    return asksOwner || (payer !== undefined && approvalNeeded(payer, amountPaise) !== null)
  }
  return {
    ...prepared,
    phases: [
      ...prepared.phases,
      batch => (mayNeedApproval(batch) ? [waitingRead(payerId), openAllowancesRead(payerId)] : NO_READS),
      batch => (mayNeedApproval(batch) ? allowanceReads(batch, payerId, spent.payeeId) : NO_READS),
    ],
    decide(batch) {
      const plan = prepared.decide(batch)
      if (plan.kind !== 'needs_approval') return plan
      const allowance = asksOwner ? null : allowanceFor(batch, payerId, spent)
      if (allowance !== null) return { kind: 'proceed', allowance }
      return decidePlace(batch, payerId) ?? plan
    },
  }
}

export function prepareSpend<Posted extends { readonly id: Uuid }>(
  agents: AgentPolicyCache,
  spending: Spending<Posted>,
  approvalId: Uuid | null = null,
): PreparedSpend<Posted> {
  const { payerId, agentIds, reads = [], app } = spending
  const key = keyCheck(payerId, spending.key, approvalId)
  let asked: { readonly batch: LedgerBatch; readonly spend: Spend | null } | null = null

  /** Called at every phase. The facts of one batch are read before the first phase and do not change. */
  function spendIn(batch: LedgerBatch): Spend | null {
    if (asked?.batch !== batch) asked = { batch, spend: spendOf(batch, agents, spending) }
    return asked.spend
  }

  function noteUse(batch: LedgerBatch, use: KeyUse): void {
    key.noteUse(batch, use)
    spending.noteUse?.(batch, use)
  }

  return {
    accounts: agentIds,
    reads: [...key.reads, ...reads, ...appReads(app)],
    phases: [batch => [...agents.reads(batch, agentIds), ...key.readsOfUse(batch)], ...limitPhases(spendIn)],
    decide(batch) {
      agents.requireRecorded(batch, payerId)
      const ended = approvalId === null ? refuseEndedApp(batch, app) : refuseApprovalOf(batch, app)
      if (ended !== null) return ended
      const plan = spending.decide(batch, {
        keyUsed: key.refusal(batch),
        approvalId,
        checkLimits() {
          const spend = spendIn(batch)
          return spend === null ? null : checkLimits(batch, spend)
        },
      })
      return plan.kind === 'refusal' ? namingPolicy(plan, agents.facts(batch, payerId)) : plan
    },
    noteUse,
    post(batch) {
      const posted = spending.post(batch)
      const transfer = transferOf(batch, posted)
      noteUse(batch, transfer)
      const spend = spendIn(batch)
      if (spend !== null) countSpend(batch, spend)
      countAppSpend(batch, app, transfer.amountPaise, madeOf(spending.kind, transfer.id))
      return posted
    },
  }
}

/** The refusals by what an owner, platform or administrator has set for the payer. */
const BY_POLICY: ReadonlySet<ErrorCode> = new Set([
  'spend_limit_exceeded',
  'escrow_required',
  'authorization_error',
  'policy_denied',
])

/** A refusal by the policy names the version that refused. */
function namingPolicy(refusal: Refusal, payer: AgentFacts | undefined): Refusal {
  if (payer === undefined || !BY_POLICY.has(refusal.code)) return refusal
  return { ...refusal, details: { ...refusal.details, policy_version: payer.policyVersion } }
}

/** The version of the payer's policy that decided. */
function policyVersionIn(
  batch: LedgerBatch,
  agents: AgentPolicyCache,
  { payerId }: Pick<Spending<{ readonly id: Uuid }>, 'payerId'>,
): string {
  const payer = agents.facts(batch, payerId)
  assert(payer !== undefined, 'a decided spending has a payer')
  return payer.policyVersion
}

function transferOf(batch: LedgerBatch, posted: { readonly id: Uuid }): Transfer {
  const transfer = batch.transfers.at(-1)
  assert(transfer?.id === posted.id, 'a spending posts one transfer')
  return transfer
}

/** What was made, as the entry of an app's spending names it. */
function madeOf(
  kind: Spending<{ readonly id: Uuid }>['kind'],
  id: Uuid,
): { readonly [name: string]: string } {
  if (kind === 'authorization') return { authorization_id: formatId('ath', id) }
  return kind === 'escrow_hold' ? { escrow_id: formatId('esc', id) } : { payment_id: formatId('pay', id) }
}

/** What the limits are checked for; null while there is no payer. */
function spendOf(
  batch: LedgerBatch,
  agents: AgentPolicyCache,
  { payerId, payeeId, amountPaise, limits, app }: Spending<{ readonly id: Uuid }>,
): Spend | null {
  const facts = agents.facts(batch, payerId)
  const payer = batch.account(payerId)
  if (facts === undefined || payer === undefined) return null
  const { layers, ceiling } = facts
  const { escrowApplies, only } = limits
  return { layers, ceiling, payer, payeeId, amountPaise, escrowApplies, only, app: appCap(batch, app) }
}
