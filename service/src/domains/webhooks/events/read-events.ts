import type { Queryable } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import type { EventKey } from '../../../operations/event.ts'
import { readPayments } from './read-payments.ts'
import { readRecorded } from './read-recorded.ts'

/**
 * The bodies of one platform's events as they are sent (`WebhookBody` of the contract, as JSON text), the same at every
 * call. An event without a body in the result failed verification or is not this platform's.
 */
export async function readEvents(
  db: Queryable,
  vault: Vault,
  platformId: Uuid,
  keys: readonly EventKey[],
): Promise<ReadonlyMap<Uuid, string>> {
  const bodies = new Map<Uuid, string>()
  const payments = keys.filter(isOfPayment)
  const recorded = keys.filter(key => !isOfPayment(key))
  await Promise.all([
    readPayments(db, vault, platformId, payments, bodies),
    readRecorded(db, vault, platformId, recorded, bodies),
  ])
  return bodies
}

function isOfPayment({ name }: EventKey): boolean {
  return name === 'agent.payment.sent' || name === 'agent.payment.received'
}
