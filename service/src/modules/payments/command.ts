import type { PaymentResult } from '@batua/contract'
import type { Refusal } from '../../kernel/app-error.ts'
import { assert } from '../../kernel/assert.ts'
import { timeText } from '../../kernel/clock.ts'
import { typeidSuffix, type Uuid } from '../../kernel/ids.ts'
import { type Paise, rupees } from '../../kernel/money.ts'
import { type Book, type Command, type Need, need, type Transfer } from '../../ledger/index.ts'
import { recordPayment } from '../audit/index.ts'
import { emitPayment } from '../events/index.ts'
import { type AgentRegister, checkLimits, countSpend, limitSteps, type Spend } from '../policies/index.ts'
import { type ApprovalPlan, decidePayment, type Mandate, type PaymentPlan } from './decide.ts'
import { payerKey, referenceKey, type Use, usedKeys, usedReferences, useInForce } from './uses.ts'

/** What is to be paid, parsed: money in paise, the payee resolved. */
export interface PaymentIntent {
  readonly payerId: Uuid
  /** null: no agent has the id or handle that was given. */
  readonly payeeId: Uuid | null
  readonly amountPaise: Paise
  readonly reference: string | null
  readonly note: string | null
  readonly idempotencyKey: string | null
  readonly uniqueReference: boolean
}

/** What paying, approving and rehearsing share: what they lock and read, how they decide, and the posting. */
export interface PreparedPayment {
  readonly accounts: readonly Uuid[]
  readonly needs: readonly Need[]
  readonly steps: NonNullable<Command<object>['steps']>
  decide(book: Book): Refusal | PaymentPlan | ApprovalPlan
  /** Makes the key and the reference known to the rest of the batch. */
  noteUse(book: Book, use: Use): void
  post(book: Book, plan: PaymentPlan): Transfer
}

/** Everything about a payment but what becomes of it. */
export function preparePayment(
  agents: AgentRegister,
  intent: PaymentIntent,
  mandate: Mandate,
): PreparedPayment {
  const { payerId, payeeId, reference, idempotencyKey, amountPaise } = intent
  const accounts = payeeId === null || payeeId === payerId ? [payerId] : [payerId, payeeId]
  const keyed = idempotencyKey === null ? null : payerKey(payerId, idempotencyKey)
  // Every payment with a reference makes it known to the rest of the batch, unique or not.
  const referenced = reference === null || payeeId === null ? null : referenceKey(payerId, payeeId, reference)
  const unique = intent.uniqueReference ? referenced : null
  const carriedOut = mandate.by === 'owner' ? mandate.approvalId : null

  let asked: { readonly book: Book; readonly spend: Spend | null } | null = null

  /** Asked at every step and the same for all of one book, whose facts are there before the first. */
  function spendIn(book: Book): Spend | null {
    if (asked?.book !== book) asked = { book, spend: spendOf(book, agents, intent) }
    return asked.spend
  }

  function noteUse(book: Book, use: Use): void {
    if (keyed !== null) book.setFact(usedKeys, keyed, use)
    if (referenced === null) return
    // The first payment with a reference is the one that is named, so a later one does not take its place.
    const first = book.fact(usedReferences, referenced)
    if (first === undefined || first.kind === 'approval') book.setFact(usedReferences, referenced, use)
  }

  return {
    accounts,
    needs: [
      ...(keyed === null ? [] : [need(usedKeys, keyed)]),
      ...(unique === null ? [] : [need(usedReferences, unique)]),
    ],
    steps: [book => agents.needs(book, accounts), ...limitSteps(spendIn)],
    decide: book =>
      decidePayment({
        mandate,
        payer: agents.facts(book, payerId),
        payerAccount: book.account(payerId),
        payee: payeeId === null ? undefined : agents.facts(book, payeeId),
        payeeAccount: payeeId === null ? undefined : book.account(payeeId),
        amountPaise,
        sameKey: keyed === null ? undefined : useInForce(book.fact(usedKeys, keyed), book.nowMs, carriedOut),
        sameReference:
          unique === null ? undefined : useInForce(book.fact(usedReferences, unique), book.nowMs, carriedOut),
        checkLimits() {
          const spend = spendIn(book)
          return spend === null ? null : checkLimits(book, spend)
        },
      }),
    noteUse,
    post(book, plan) {
      const transfer = postPayment(book, intent, plan)
      recordPayment(book, transfer)
      emitPayment(book, transfer, platformsOf(book, agents, transfer))
      noteUse(book, { id: transfer.id, kind: transfer.kind })
      const spend = spendIn(book)
      if (spend !== null) countSpend(book, spend)
      return transfer
    },
  }
}

/** What the limits are asked about; null while there is nobody to pay or to be paid. */
function spendOf(book: Book, agents: AgentRegister, intent: PaymentIntent): Spend | null {
  const { payeeId, amountPaise } = intent
  const facts = agents.facts(book, intent.payerId)
  const payer = book.account(intent.payerId)
  if (facts === undefined || payer === undefined || payeeId === null) return null
  const { layers, ceiling } = facts
  return { layers, ceiling, payer, payeeId, amountPaise, escrowApplies: true }
}

function postPayment(book: Book, intent: PaymentIntent, plan: PaymentPlan): Transfer {
  return book.post({
    kind: 'payment',
    debit: intent.payerId,
    credit: plan.payeeId,
    amountPaise: plan.amountPaise,
    feePaise: plan.feePaise,
    idempotencyKey: intent.idempotencyKey,
    reference: intent.reference,
    note: intent.note,
  })
}

/** Who made the payment is known, or it would have been refused. */
function platformsOf(book: Book, agents: AgentRegister, { debitAccount, creditAccount }: Transfer) {
  const payer = agents.facts(book, debitAccount)
  const payee = agents.facts(book, creditAccount)
  assert(payer !== undefined && payee !== undefined, 'a payment is between agents')
  return { payer: payer.platformId, payee: payee.platformId }
}

/** The result of a payment that was made. */
export function resultOf(transfer: Transfer): PaymentResult {
  const suffix = typeidSuffix(transfer.id)
  return {
    payment_id: `pay_${suffix}`,
    status: 'completed',
    from_balance: rupees(transfer.debitBalancePaise ?? 0n),
    cost: rupees(transfer.feePaise),
    receipt_id: `rcp_${suffix}`,
    transaction_id: `txn_${suffix}`,
    created_at: timeText(transfer.postedAt),
  }
}
