import { arrayLiteral } from '../db/array-literal.ts'
import type { Queryable } from '../db/database.ts'
import { assert } from '../kernel/assert.ts'
import { timeText } from '../kernel/clock.ts'
import { creditSideOf, formatId, movementOf, typeidSuffix, type Uuid } from '../kernel/ids.ts'
import { rupees } from '../kernel/money.ts'
import { canonicalJson } from '../kernel/signing.ts'
import type { LedgerBatch, Transfer, Writer } from '../ledger/index.ts'
import { type EntryContent, type Leaf, leafHash } from './audit-entry.ts'
import { leafWriter } from './fact-store.ts'

/**
 * Records a payment, written out for speed because payments are the most frequent fact. Its transfer is its audit entry
 * and the source of its events, so a commit of many payments adds their leaves and one row for the events of all.
 */
export function recordPayment(
  batch: LedgerBatch,
  transfer: Transfer,
  platforms: { readonly payer: Uuid; readonly payee: Uuid },
  appName: string | null = null,
): void {
  batch.write(leafWriter, paymentLeaf({ ...transfer, appName }))
  batch.write(paymentWriter, {
    id: transfer.id,
    payerPlatform: platforms.payer,
    payeePlatform: platforms.payee,
  })
}

/** A payment, and the name of the app that made it, whose id the transfer has; absent: the agent itself did. */
export interface NamedPayment extends Transfer {
  readonly appName?: string | null
}

/** The SQL expression of the name of the app that made a payment. */
export function appNameOf(alias: string): string {
  return `case when ${alias}.linked_id is not null then
    (select app.name from connected_apps app where app.id = ${alias}.linked_id) end`
}

/** The audit entry of a payment, made of its transfer, which has a MAC and never changes. No row is stored for it. */
export function paymentContent(transfer: NamedPayment): EntryContent {
  const { linkedId, appName = null } = transfer
  return {
    audit_id: formatId('aud', transfer.id),
    agent_id: formatId('agt', transfer.debitAccount),
    actor:
      linkedId === null
        ? { type: 'agent', id: formatId('agt', transfer.debitAccount) }
        : { type: 'app', id: formatId('app', linkedId), name: appName ?? '' },
    action: 'payment.completed',
    target: formatId('pay', transfer.id),
    data: {
      to: formatId('agt', transfer.creditAccount),
      amount: rupees(transfer.amountPaise),
      fee: rupees(transfer.feePaise),
      reference: transfer.reference,
      note: transfer.note,
    },
    created_at: transfer.postedAt.toISOString(),
  }
}

/** The leaf of `paymentContent`, written out for speed because every payment makes one. */
export function paymentLeaf(transfer: NamedPayment): Leaf {
  const { id, reference, note } = transfer
  if (transfer.linkedId !== null) return { id, hash: leafHash(canonicalJson(paymentContent(transfer))) }
  const suffix = typeidSuffix(id)
  const payer = `agt_${typeidSuffix(transfer.debitAccount)}`
  const content =
    `{"action":"payment.completed","actor":{"id":"${payer}","type":"agent"},"agent_id":"${payer}",` +
    `"audit_id":"aud_${suffix}","created_at":"${timeText(transfer.postedAt)}",` +
    `"data":{"amount":${rupees(transfer.amountPaise)},"fee":${rupees(transfer.feePaise)},` +
    `"note":${textOrNull(note)},"reference":${textOrNull(reference)},` +
    `"to":"agt_${typeidSuffix(transfer.creditAccount)}"},"target":"pay_${suffix}"}`
  return { id, hash: leafHash(content) }
}

/** RFC 8785 writes strings as ECMAScript does. */
function textOrNull(text: string | null): string {
  return text === null ? 'null' : JSON.stringify(text)
}

/** A payment and the platforms of its two sides, which get one event each. */
interface QueuedPayment {
  readonly id: Uuid
  readonly payerPlatform: Uuid
  readonly payeePlatform: Uuid
}

const paymentWriter: Writer<QueuedPayment> = { name: 'payment events', write: queuePayments }

/** The id of the event for the payer's platform. */
export function sentEventOf(payment: Uuid): Uuid {
  return payment
}

/** The id of the event for the payee's platform. */
export function receivedEventOf(payment: Uuid): Uuid {
  return creditSideOf(payment)
}

/** The name of the payment event with this id. */
export function paymentEventName(event: Uuid): 'agent.payment.sent' | 'agent.payment.received' {
  return movementOf(event).side === 'debit' ? 'agent.payment.sent' : 'agent.payment.received'
}

async function queuePayments(tx: Queryable, payments: readonly QueuedPayment[]): Promise<void> {
  const [first] = payments
  assert(first !== undefined, 'a writer gets at least one row')
  const places = new Map<Uuid, number>()
  const placeOf = (platformId: Uuid) => {
    const known = places.get(platformId)
    if (known !== undefined) return known
    places.set(platformId, places.size)
    return places.size - 1
  }
  const payers = payments.map(payment => placeOf(payment.payerPlatform))
  const payees = payments.map(payment => placeOf(payment.payeePlatform))
  await tx.query(
    `insert into payment_events (id, payments, platforms, payer_platforms, payee_platforms)
     values ($1, $2, $3, $4, $5)`,
    [
      first.id,
      arrayLiteral(payments.map(payment => payment.id)),
      arrayLiteral([...places.keys()]),
      arrayLiteral(payers),
      arrayLiteral(payees),
    ],
  )
}
