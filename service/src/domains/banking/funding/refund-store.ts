import { textArrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import {
  type EngineRow,
  type EngineTable,
  requireMac,
  rowMacOf,
  whyRefused,
  writeOldMacs,
} from '../../../db/row-mac.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { readerById, type Writer } from '../../../ledger/index.ts'
import { leasedRows } from '../../../operations/due-work.ts'
import type { OwedRefund } from './funding.ts'

/** A due refund that one node has claimed for one attempt. */
export interface ClaimedRefund extends OwedRefund {
  /** The number of attempts, this one included. After the first, the gateway may already have the refund. */
  readonly attempts: number
}

interface StoredRefund extends ClaimedRefund {
  readonly mac: Buffer | null
}

const COLUMNS = `
  r.id, r.gateway, r.order_id as "orderId", r.gateway_order_id as "gatewayOrderId",
  r.gateway_payment_id as "gatewayPaymentId", r.amount_paise as "amountPaise", r.currency, r.reason, r.attempts`

/** What a refund's MAC covers: the payment at the gateway that is refunded, and the amount. */
function macValues(refund: OwedRefund): unknown[] {
  const { id, gateway, orderId, gatewayOrderId, gatewayPaymentId, amountPaise, currency, reason } = refund
  return [id, gateway, orderId, gatewayOrderId, gatewayPaymentId, amountPaise, currency, reason]
}

export function refundMac(vault: Vault, refund: OwedRefund): Buffer {
  return rowMacOf(vault, 'gateway_refunds', macValues(refund))
}

function rowOf(refund: OwedRefund, mac: Buffer | null): EngineRow {
  return { table: 'gateway_refunds', id: refund.id, values: macValues(refund), mac }
}

const ONCE = 'the gateway takes a refund’s id once, and sends back no more than was paid'

/** Refunds as the check of all rows sees them. */
export const REFUND_ROWS: EngineTable = {
  table: 'gateway_refunds',
  columns: [
    'id',
    'gateway',
    'order_id',
    'gateway_order_id',
    'gateway_payment_id',
    'amount_paise',
    'currency',
    'reason',
  ],
  uncovered: {
    status: ONCE,
    attempts: ONCE,
    next_attempt_at: ONCE,
    created_at: 'is only shown',
    settled_at: 'is only shown',
  },
  async check(db, vault, after, limit) {
    const rows = await db.query<StoredRefund>(
      `select ${COLUMNS}, r.mac from gateway_refunds r where r.id > $1 order by r.id limit $2`,
      [after, limit],
    )
    return rows.map(({ mac, ...refund }) => ({ id: refund.id, why: whyRefused(vault, rowOf(refund, mac)) }))
  },
}

/** The payments of an order that are being refunded, by the order's id: none of them is credited to a wallet. */
export const returnedPayments = readerById<ReadonlySet<string>>('returned payments', async (tx, orderIds) => {
  const rows = await tx.query<{ orderId: string; paymentIds: string[] }>(
    `select order_id as "orderId", array_agg(gateway_payment_id) as "paymentIds" from gateway_refunds
       where order_id = any($1::text[]) group by order_id`,
    [textArrayLiteral(orderIds)],
  )
  return rows.map(({ orderId, paymentIds }) => [orderId, new Set(paymentIds)])
})

/** Refunds that decisions found owed. A payment is refunded once, however often it is reported. */
export const refundWriter: Writer<OwedRefund & { readonly now: Date }> = {
  name: 'gateway refunds',
  write: (tx, rows, vault) => insertRefunds(tx, vault, rows),
}

export async function insertRefunds(
  db: Queryable,
  vault: Vault,
  refunds: readonly (OwedRefund & { readonly now: Date })[],
): Promise<void> {
  await db.query(
    `insert into gateway_refunds (id, gateway, order_id, gateway_order_id, gateway_payment_id, amount_paise, currency,
       reason, created_at, next_attempt_at, mac)
     select id, gateway, order_id, gateway_order_id, gateway_payment_id, amount_paise, currency, reason, now, now,
       decode(mac, 'hex')
     from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int8[], $7::text[], $8::text[],
       $9::timestamptz[], $10::text[])
       v(id, gateway, order_id, gateway_order_id, gateway_payment_id, amount_paise, currency, reason, now, mac)
     on conflict (gateway, gateway_payment_id) do nothing`,
    [
      refunds.map(refund => refund.id),
      refunds.map(refund => refund.gateway),
      refunds.map(refund => refund.orderId),
      refunds.map(refund => refund.gatewayOrderId),
      refunds.map(refund => refund.gatewayPaymentId),
      refunds.map(refund => refund.amountPaise),
      refunds.map(refund => refund.currency),
      refunds.map(refund => refund.reason),
      refunds.map(refund => refund.now),
      refunds.map(refund => refundMac(vault, refund).toString('hex')),
    ],
  )
}

/**
 * Refunds to send or to query; one that was inserted into the table directly is never sent. After a crash the next
 * attempt queries first.
 */
export const dueRefunds = leasedRows<StoredRefund, ClaimedRefund>({
  table: 'gateway_refunds',
  key: ['id'],
  due: 'next_attempt_at',
  // Longer than two queries to a gateway may take.
  lease: `interval '30 seconds'`,
  counting: 'attempts = r.attempts + 1',
  atOnce: 20,
  selected: `${COLUMNS}, r.mac`,
  proven(vault, { mac, ...refund }) {
    requireMac(vault, rowOf(refund, mac))
    return refund
  },
})

/** Returns false when the refund was resolved before. */
export async function updateResolved(
  db: Queryable,
  id: Uuid,
  status: 'done' | 'failed',
  now: Date,
): Promise<boolean> {
  const rows = await db.query(
    `update gateway_refunds set status = $2, settled_at = $3, next_attempt_at = null
     where id = $1 and next_attempt_at is not null returning id`,
    [id, status, now],
  )
  return rows.length === 1
}

/** The refund is pending at the gateway, or there was no response: the next check is at `nextAttemptAt`. */
export async function postponeRefund(
  db: Queryable,
  id: Uuid,
  status: 'due' | 'sent',
  nextAttemptAt: Date,
): Promise<void> {
  await db.query(
    `update gateway_refunds set status = $2, next_attempt_at = $3 where id = $1 and next_attempt_at is not null`,
    [id, status, nextAttemptAt],
  )
}

/** A webhook reports a change of it, so it is checked now. */
export async function makeRefundDue(db: Queryable, id: Uuid, now: Date): Promise<void> {
  await db.query(`update gateway_refunds set next_attempt_at = $2 where id = $1 and next_attempt_at > $2`, [
    id,
    now,
  ])
}

/** Writes the MACs of rows from before there were MACs, a bounded number; returns the number written. */
export async function completeRefunds(tx: Queryable, vault: Vault, limit: number): Promise<number> {
  const old = await tx.query<ClaimedRefund>(
    `select ${COLUMNS} from gateway_refunds r where r.mac is null limit $1 for update of r`,
    [limit],
  )
  return writeOldMacs(
    tx,
    'gateway_refunds',
    old.map(row => ({ id: row.id, mac: refundMac(vault, row) })),
  )
}
