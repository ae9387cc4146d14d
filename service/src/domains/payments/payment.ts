import type { PaymentContext, PaymentResult } from '@batua/contract'
import type { AppIdentity } from '../../http/caller.ts'
import { assert } from '../../kernel/assert.ts'
import { timeText } from '../../kernel/clock.ts'
import { typeidSuffix, type Uuid } from '../../kernel/ids.ts'
import { type Paise, rupees } from '../../kernel/money.ts'
import { type LedgerBatch, read, type Transfer } from '../../ledger/index.ts'
import { recordPayment } from '../../operations/payment-fact.ts'
import { type AgentPolicyCache, keyOfApp } from '../limits/index.ts'
import { recordContext } from './context.ts'
import { decidePayment, type Mandate } from './decide.ts'
import { paymentFee } from './fee.ts'
import { activeUse, type KeyUse, type PayeeReference, usedReferences } from './idempotency.ts'
import type { Spending } from './spend.ts'

/** The requested payment, parsed: money in paise, the payee resolved. */
export interface PaymentIntent {
  readonly payerId: Uuid
  /** null: no agent has the given id or handle. */
  readonly payeeId: Uuid | null
  readonly amountPaise: Paise
  readonly reference: string | null
  readonly note: string | null
  readonly idempotencyKey: string | null
  readonly uniqueReference: boolean
  /** Why the agent pays. It is no term of the payment. */
  readonly context: PaymentContext | null
  /** The app that pays for the agent; null: none does. */
  readonly app: AppIdentity | null
}

/** A payment as money that is spent: what it reads, its rules, and its posting. */
export function paymentSpending(
  agents: AgentPolicyCache,
  intent: PaymentIntent,
  mandate: Mandate,
): Spending<Transfer> {
  const { payerId, payeeId, reference, amountPaise, idempotencyKey } = intent
  // Every payment with a reference, unique or not, makes it known to the later commands of the batch.
  const referenced: PayeeReference | null =
    reference === null || payeeId === null ? null : { payer: payerId, payee: payeeId, reference }
  const unique = intent.uniqueReference ? referenced : null

  return {
    kind: 'payment',
    app: keyOfApp(payerId, intent.app),
    payerId,
    payeeId,
    amountPaise,
    key:
      idempotencyKey === null
        ? null
        : { text: idempotencyKey, field: 'idempotency_key', isSame: (_, use) => isSamePayment(intent, use) },
    agentIds: payeeId === null || payeeId === payerId ? [payerId] : [payerId, payeeId],
    limits: { escrowApplies: true },
    asksOwner: mandate.by === 'agent' && mandate.asksOwner,
    reads: unique === null ? [] : [read(usedReferences, unique)],
    decide: (batch, { keyUsed, approvalId, checkLimits }) =>
      decidePayment({
        mandate,
        amountPaise,
        keyUsed,
        checkLimits,
        payer: agents.facts(batch, payerId),
        payerAccount: batch.account(payerId),
        payee: payeeId === null ? undefined : agents.facts(batch, payeeId),
        payeeAccount: payeeId === null ? undefined : batch.account(payeeId),
        sameReference:
          unique === null
            ? undefined
            : activeUse(batch.read(usedReferences, unique), batch.nowMs, approvalId),
      }),
    post(batch) {
      const transfer = postPayment(batch, intent)
      recordPayment(batch, transfer, platformsOf(batch, agents, transfer), intent.app?.name)
      recordContext(batch, transfer, intent)
      return transfer
    },
    noteUse(batch, use) {
      if (referenced === null) return
      // The first payment with a reference is the one that a refusal names, so a later one does not replace it.
      const first = batch.read(usedReferences, referenced)
      if (first === undefined || first.kind === 'approval') batch.set(usedReferences, referenced, use)
    },
  }
}

/** Whether a key was used for a payment of the same terms. */
function isSamePayment({ payeeId, amountPaise, reference, note }: PaymentIntent, use: KeyUse): boolean {
  const made = use.kind === 'approval' ? use.request : { ...use, payeeId: use.creditAccount }
  return (
    made.kind === 'payment' &&
    made.payeeId === payeeId &&
    made.amountPaise === amountPaise &&
    made.reference === reference &&
    made.note === note
  )
}

function postPayment(batch: LedgerBatch, intent: PaymentIntent): Transfer {
  const { payerId, payeeId, amountPaise, idempotencyKey, reference, note, app } = intent
  assert(payeeId !== null, 'a decided payment has a payee')
  return batch.post({
    kind: 'payment',
    debit: payerId,
    credit: payeeId,
    amountPaise,
    feePaise: paymentFee(amountPaise),
    ...(app !== null && { linkedId: app.id }),
    idempotencyKey,
    reference,
    note,
  })
}

function platformsOf(
  batch: LedgerBatch,
  agents: AgentPolicyCache,
  { debitAccount, creditAccount }: Transfer,
) {
  const payer = agents.facts(batch, debitAccount)
  const payee = agents.facts(batch, creditAccount)
  assert(payer !== undefined && payee !== undefined, 'a payment is between agents')
  return { payer: payer.platformId, payee: payee.platformId }
}

/** The result of a payment that was made. */
export function resultOf(transfer: Transfer, policyVersion: string): PaymentResult {
  const suffix = typeidSuffix(transfer.id)
  return {
    payment_id: `pay_${suffix}`,
    status: 'completed',
    from_balance: rupees(transfer.debitBalancePaise ?? 0n),
    cost: rupees(transfer.feePaise),
    receipt_id: `rcp_${suffix}`,
    transaction_id: `txn_${suffix}`,
    created_at: timeText(transfer.postedAt),
    policy_version: policyVersion,
  }
}
