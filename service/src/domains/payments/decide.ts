import type { AgentStatus } from '@batua/contract'
import { type Refusal, refuse } from '../../kernel/app-error.ts'
import { formatId } from '../../kernel/ids.ts'
import { type Paise, rupees, rupeesText } from '../../kernel/money.ts'
import { sameHash } from '../../kernel/secrets.ts'
import type { Account } from '../../ledger/index.ts'
import { type AgentFacts, approvalNeeded, decidePayee } from '../limits/index.ts'
import { paymentFee } from './fee.ts'
import type { SpendPlan } from './spend.ts'
import type { Use } from './uses.ts'

/**
 * On whose authority a payment is decided. The agent itself proves its key again, and the approval threshold applies to
 * it. Neither holds for the owner who approves what the agent asked for. A dry run comes from any caller who may see the
 * agent, and posts nothing.
 */
export type Mandate =
  | { readonly by: 'agent' /** SHA-256 of the key that the request came with. */; readonly keyHash: Buffer }
  | { readonly by: 'owner' }
  | { readonly by: 'dry run' }

/** What the rules of payment look at. Undefined: there is no such agent, or no such earlier payment. */
export interface PaymentFacts {
  readonly mandate: Mandate
  readonly payer: AgentFacts | undefined
  readonly payerAccount: Account | undefined
  readonly payee: AgentFacts | undefined
  readonly payeeAccount: Account | undefined
  readonly amountPaise: Paise
  /** What used this idempotency key before, or holds it while it waits. */
  readonly sameKey: Use | undefined
  /** The earlier payment to this payee with this reference, when the caller wants the reference unique. */
  readonly sameReference: Use | undefined
  /** Asks the limits; called only when everything before them allows the payment. */
  readonly checkLimits: () => Refusal | null
}

/** The rules of payments, in the contract's order: refusals first; at the end it is paid or asked for. */
export function decidePayment(facts: PaymentFacts): Refusal | SpendPlan {
  const { mandate, payer, payerAccount, payee, payeeAccount, amountPaise } = facts
  if (payer === undefined || payerAccount === undefined || !isProved(mandate, payer)) {
    return refuse(
      'authentication_error',
      'The agent key is not valid; it may have been replaced, or its agent deactivated. Use the newest key',
    )
  }
  if (facts.sameKey !== undefined) return keyUsed(facts.sameKey)
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

  const threshold = mandate.by === 'owner' ? null : approvalNeeded(payer.layers, amountPaise)
  return threshold === null ? { kind: 'proceed' } : { kind: 'ask', threshold }
}

/** Whoever is not the agent was proved where it came in. */
function isProved(mandate: Mandate, payer: AgentFacts): boolean {
  return mandate.by !== 'agent' || sameHash(payer.keyHash, mandate.keyHash)
}

/** May an agent in this state send money? Quarantined and everything but active may not (interface section 3). */
export function decideSender(status: AgentStatus): Refusal | null {
  if (status === 'active') return null
  return refuse('policy_denied', `Agent is ${status}`, { details: { status } })
}

/**
 * Does the money of an agent stay where it is? That of a frozen or quarantined agent does, also beyond the agent's end;
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

/** Whether money may be sent to an agent in this state (interface section 3). */
export function canReceive(status: AgentStatus): boolean {
  return status === 'active' || status === 'quarantined'
}

/** What else helps where an agent cannot receive money: nothing, when it has ended. */
export function untilActive(status: AgentStatus): string {
  return status === 'deactivated' ? '' : ', or wait until it is active again'
}

/** Is there enough for the amount and the fee? */
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

/** A key that was used names what it was used for, so that a client that lost the answer recovers. */
export function keyUsed(use: Use): Refusal {
  const waits = use.kind === 'approval'
  return refuse(
    'idempotency_error',
    waits
      ? 'A payment with this idempotency_key waits for approval: details.approval_id names it. Use a new key for a new payment'
      : `This idempotency_key was used before: details.${fieldOf(use)} names what was made. Use a new key for a new payment`,
    {
      field: 'idempotency_key',
      details: { ...named(use), status: waits ? 'pending_approval' : 'completed' },
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
      details: { ...named(use), ...(waits ? { status: 'pending_approval' } : {}) },
    },
  )
}

function fieldOf({ kind }: Use): string {
  return kind === 'refund' ? 'refund_id' : 'payment_id'
}

function named({ kind, id }: Use): Record<string, string | null> {
  switch (kind) {
    case 'approval':
      return { payment_id: null, approval_id: formatId('apr', id) }
    case 'refund':
      return { refund_id: formatId('rfd', id) }
    default:
      return { payment_id: formatId('pay', id) }
  }
}
