import type { EventName } from '@batua/contract'
import type { Queryable } from '../../../db/database.ts'
import { movementOf, type Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { isGenuine } from '../../../ledger/index.ts'
import { receivedEventOf, sentEventOf } from '../../../operations/payment-fact.ts'
import { receivedBody, sentBody } from '../events/payment-body.ts'
import { bodyOf } from '../events/read-events.ts'
import { type FollowedEvent, type FollowedPayment, selectPayments } from './store.ts'

/** An event as streams send it. */
export interface LiveEvent {
  readonly id: Uuid
  readonly name: EventName
  readonly data: string
}

export function liveEvent(event: FollowedEvent): LiveEvent {
  return { id: event.id, name: event.name, data: bodyOf(event) }
}

/** The events of payments with these ids, without those whose transfer fails its MAC. */
export async function paymentEvents(db: Queryable, vault: Vault, ids: readonly Uuid[]): Promise<LiveEvent[]> {
  if (ids.length === 0) return []
  const wanted = new Set(ids)
  const payments = await selectPayments(db, [...new Set(ids.map(id => movementOf(id).movement))])
  return payments
    .filter(payment => isGenuine(vault, payment))
    .flatMap((payment): LiveEvent[] => [
      { id: sentEventOf(payment.id), name: 'agent.payment.sent', data: sentBody(payment) },
      { id: receivedEventOf(payment.id), name: 'agent.payment.received', data: receivedBody(payment) },
    ])
    .filter(({ id }) => wanted.has(id))
}

/** The agent of one side of a payment. */
type Side = { readonly agentId: Uuid; readonly ownerId: null; readonly platformId: null }

/** The agents of both sides. */
export function sides({ debitAccount, creditAccount }: FollowedPayment): Side[] {
  return [debitAccount, creditAccount].map(agentId => ({ agentId, ownerId: null, platformId: null }))
}

/** Both sides of a payment, each with the id of its event. */
export function sidesOf(payment: FollowedPayment): [Side, Uuid][] {
  const [payer, payee] = sides(payment) as [Side, Side]
  return [
    [payer, sentEventOf(payment.id)],
    [payee, receivedEventOf(payment.id)],
  ]
}
