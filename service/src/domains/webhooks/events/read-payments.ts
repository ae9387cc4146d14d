import { arrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import { movementOf, type Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { isGenuine, type StoredTransfer, transferColumns } from '../../../ledger/index.ts'
import type { EventKey } from '../../../operations/event.ts'
import { paymentEventName } from '../../../operations/payment-fact.ts'
import { receivedBody, sentBody } from './payment-body.ts'

/** A payment, and whether the platform is its payer's, its payee's or both. */
interface SidedPayment extends StoredTransfer {
  readonly isPayers: boolean
  readonly isPayees: boolean
}

// Each agent's platform comes from a subquery, so that no plan reads the agents of all platforms.
const SELECT = `
  select ${transferColumns('t')},
    coalesce((select a.platform_id from agents a where a.id = t.debit_account) = $2, false) as "isPayers",
    coalesce((select a.platform_id from agents a where a.id = t.credit_account) = $2, false) as "isPayees"
  from transfers t where t.id = any($1::uuid[]) and t.kind = 'payment'`

/** Adds the bodies of a platform's payment events, each made from its transfer. */
export async function readPayments(
  db: Queryable,
  vault: Vault,
  platformId: Uuid,
  keys: readonly EventKey[],
  bodies: Map<Uuid, string>,
): Promise<void> {
  const wanted = eventsByPayment(keys)
  if (wanted.size === 0) return
  const ids = arrayLiteral([...wanted.keys()])
  for (const payment of await db.query<SidedPayment>(SELECT, [ids, platformId])) {
    const { sent, received } = wanted.get(payment.id) ?? NONE
    const isSent = payment.isPayers && sent !== null
    const isReceived = payment.isPayees && received !== null
    if (!(isSent || isReceived) || !isGenuine(vault, payment)) continue
    if (isSent) bodies.set(sent, sentBody(payment))
    if (isReceived) bodies.set(received, receivedBody(payment))
  }
}

/** The requested events of one payment. */
interface PaymentEvents {
  readonly sent: Uuid | null
  readonly received: Uuid | null
}

const NONE: PaymentEvents = { sent: null, received: null }

function eventsByPayment(keys: readonly EventKey[]): Map<Uuid, PaymentEvents> {
  const events = new Map<Uuid, PaymentEvents>()
  for (const { id, name } of keys) {
    const { movement, side } = movementOf(id)
    if (name !== paymentEventName(id)) continue
    const known = events.get(movement) ?? NONE
    events.set(movement, side === 'debit' ? { ...known, sent: id } : { ...known, received: id })
  }
  return events
}
