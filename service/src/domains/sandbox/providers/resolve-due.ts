import type { Database, Queryable } from '../../../db/database.ts'
import { assert } from '../../../kernel/assert.ts'
import { paymentReference } from './new-payment.ts'
import {
  type DuePayment,
  lockOrder,
  resolvePayment,
  type SandboxPayment,
  selectDuePaymentsOf,
  selectPayment,
  updateOrderStatus,
} from './store.ts'

/** Decides a payment as of its due time. Null when another call has decided it. */
export async function resolveDue(
  tx: Queryable,
  { id, orderId, resolvesAt, resolvesTo }: DuePayment,
): Promise<SandboxPayment | null> {
  const order = await lockOrder(tx, orderId)
  assert(order !== null, 'a payment has an order')
  const paid = resolvesTo === 'success'
  const reference = paid ? paymentReference(id) : null
  const resolved = await resolvePayment(tx, id, resolvesTo, reference, paid ? resolvesAt : null)
  if (!resolved) return null
  if (paid && order.status !== 'paid') await updateOrderStatus(tx, orderId, 'paid')
  return selectPayment(tx, id)
}

/** Decides the due payments of an order before a query of it, whether or not the webhooks were sent. */
export async function resolveDueOf(database: Database, orderId: string, now: Date): Promise<void> {
  for (const due of await selectDuePaymentsOf(database, orderId, now)) {
    await database.inTransaction(tx => resolveDue(tx, due))
  }
}
