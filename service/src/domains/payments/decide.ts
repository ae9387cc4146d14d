import type { AgentStatus } from '@batua/contract'
import { type Refusal, refuse } from '../../kernel/app-error.ts'
import { formatId } from '../../kernel/ids.ts'
import { type Paise, rupees, rupeesText } from '../../kernel/money.ts'
import { sameHash } from '../../kernel/secrets.ts'
import type { Account } from '../../ledger/index.ts'
import { type AgentFacts, approvalNeeded, decidePayee } from '../limits/index.ts'
import { paymentFee } from './fee.ts'
import type { Use } from './idempotency.ts'
import { ASKED_BY_AGENT, aboveThreshold, type SpendPlan } from './spend.ts'

/**
 * The authority of a payment. For the agent, its key is checked again and the approval threshold applies. Neither
 * applies to the owner who approves the agent's request. A dry run may come from any caller with access to the agent,
 * and posts nothing.
 */
export type Mandate =
  | {
      readonly by: 'agent'
      /** SHA-256 of the key that the request came with. */
      readonly keyHash: Buffer
      /** The agent asks for the owner's approval, whatever the amount. */
      readonly asksOwner: boolean
    }
  | { readonly by: 'owner' }
  | { readonly by: 'dry run' }

/** The facts that the rules of payments depend on. Undefined: there is no such agent, or no such earlier payment. */
export interface PaymentFacts {
  readonly mandate: Mandate
  readonly payer: AgentFacts | undefined
  readonly payerAccount: Account | undefined
  readonly payee: AgentFacts | undefined
  readonly payeeAccount: Account | undefined
  readonly amountPaise: Paise
  /** The refusal for an idempotency key that was used, or that a request reserves while it waits for approval. */
  readonly keyUsed: Refusal | null
  /** The earlier payment to this payee with this reference, when the caller requires the reference to be unique. */
  readonly sameReference: Use | undefined
  /** Checks the limits; called only when everything before them allows the payment. */
  readonly checkLimits: () => Refusal | null
}

/**
 * The rules of payments, in the contract's order: refusals first; at the end the payment proceeds or needs approval.
 */
export function decidePayment(facts: PaymentFacts): Refusal | SpendPlan {
  const { mandate, payer, payerAccount, payee, payeeAccount, amountPaise } = facts
  if (payer === undefined || payerAccount === undefined || !isProved(mandate, payer)) {
    return refuse(
      'authentication_error',
      'The agent key is not valid; it may have been replaced, or its agent deactivated. Use the newest key',
    )
  }
  if (facts.keyUsed !== null) return facts.keyUsed
  if (facts.sameReference !== undefined) return referenceUsed(facts.sameReference)

  const stopped = decideSender(payer.status)
  if (stopped !== null) return stopped

  if (payee === undefined || payeeAccount === undefined) {
    return refuse('not_found', 'There is no agent with this id or handle', { field: 'to' })
  }
  if (payee.id === payer.id) {
    return refuse('validation_error', 'An agent cannot pay itself; name another agent in to', { field: 'to' })
  }
  if (!canReceive(payee.status)) {
    return refuse(
      'validation_error',
      `The recipient is ${payee.status} and cannot be paid; name another agent${untilActive(payee.status)}`,
      { field: 'to' },
    )
  }
  const disallowed = decidePayee(payer.layers, payee.id)
  if (disallowed !== null) return disallowed

  const overLimit = facts.checkLimits()
  if (overLimit !== null) return overLimit

  const short = decideBalance(payerAccount.balancePaise, amountPaise, paymentFee(amountPaise))
  if (short !== null) return short

  if (mandate.by === 'owner') return { kind: 'proceed' }
  if (mandate.by === 'agent' && mandate.asksOwner) return ASKED_BY_AGENT
  const threshold = approvalNeeded(payer, amountPaise)
  return threshold === null ? { kind: 'proceed' } : aboveThreshold(threshold)
}

/** Any caller other than the agent was authenticated at admission. */
function isProved(mandate: Mandate, payer: AgentFacts): boolean {
  return mandate.by !== 'agent' || sameHash(payer.keyHash, mandate.keyHash)
}

/** Whether an agent in this state may send money: only an active one may (interface section 3). */
export function decideSender(status: AgentStatus): Refusal | null {
  if (status === 'active') return null
  return refuse('policy_denied', `Agent is ${status}`, { details: { status } })
}

/**
 * Whether an agent's money is blocked. That of a frozen or quarantined agent is, also after its deactivation;
 * the refusal then names both states.
 */
export function decideBlocked({
  status,
  blockedAs,
}: Pick<AgentFacts, 'status' | 'blockedAs'>): Refusal | null {
  if (status === 'frozen' || status === 'quarantined') return decideSender(status)
  if (blockedAs === null) return null
  const message = `Agent is ${status} and was ${blockedAs} before, so its money stays until an administrator restores it`
  return refuse('policy_denied', message, { details: { status, held_as: blockedAs } })
}

/** Whether an agent in this state may receive money (interface section 3). */
export function canReceive(status: AgentStatus): boolean {
  return status === 'active' || status === 'quarantined'
}

/** The hint for an agent that cannot receive money: none, when it has ended. */
export function untilActive(status: AgentStatus): string {
  return status === 'deactivated' ? '' : ', or wait until it is active again'
}

/** Checks that the balance covers the amount and the fee. */
export function decideBalance(balancePaise: Paise, amountPaise: Paise, feePaise: Paise): Refusal | null {
  const requiredPaise = amountPaise + feePaise
  if (balancePaise >= requiredPaise) return null
  return refuse(
    'insufficient_balance',
    `The balance is ${rupeesText(balancePaise)} INR but ${rupeesText(requiredPaise)} INR is needed: ` +
      `${rupeesText(amountPaise)} INR plus a fee of ${rupeesText(feePaise)} INR`,
    {
      details: {
        balance: rupees(balancePaise),
        required: rupees(requiredPaise),
        amount: rupees(amountPaise),
        fee: rupees(feePaise),
      },
    },
  )
}

function referenceUsed(use: Use): Refusal {
  const waits = use.kind === 'approval'
  return refuse(
    'conflict',
    waits
      ? 'A payment to this payee with this reference waits for approval: details.approval_id names it'
      : 'This payee was already paid with this reference: details.payment_id names the payment',
    {
      field: 'reference',
      details: waits
        ? { payment_id: null, approval_id: formatId('apr', use.id), status: 'pending_approval' }
        : { payment_id: formatId('pay', use.id) },
    },
  )
}
