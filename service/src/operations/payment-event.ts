import { arrayLiteral } from '../db/array-literal.ts'
import type { Queryable } from '../db/database.ts'
import { assert } from '../kernel/assert.ts'
import { creditSideOf, movementOf, type Uuid } from '../kernel/ids.ts'
import type { LedgerBatch, Transfer, Writer } from '../ledger/index.ts'

/** A payment and the platforms of its two sides. */
interface QueuedPayment {
  readonly id: Uuid
  readonly payerPlatform: Uuid
  readonly payeePlatform: Uuid
}

const paymentWriter: Writer<QueuedPayment> = { name: 'payment events', write: queuePayments }

/**
 * Queues the events of a payment for the platforms of both sides. A whole commit queues one row; the body of an event is
 * made of the transfer when it is sent.
 */
export function emitPayment(
  batch: LedgerBatch,
  transfer: Transfer,
  platforms: { readonly payer: Uuid; readonly payee: Uuid },
): void {
  batch.write(paymentWriter, {
    id: transfer.id,
    payerPlatform: platforms.payer,
    payeePlatform: platforms.payee,
  })
}

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
