import type { Queryable } from '../../../db/database.ts'
import { type GatewayResult, rejected, value } from '../../../gateways/gateway-result.ts'
import type { GatewayRecord, GatewayRecords } from '../../../gateways/payment-gateway.ts'
import { DAY_MS, startOfIstDay } from '../../../kernel/clock.ts'

const PAGE_SIZE = 200

/** `2.5 %`, half up, of what was paid in rupees by a method that the gateway charges for. */
const CHARGES = `case when currency = 'INR' and method in ('upi', 'card', 'netbanking')
  then (amount_paise * 250 + 5000) / 10000 else 0 end`

const DAY_PAID = `floor(extract(epoch from paid_at + interval '5 hours 30 minutes') / 86400)::int4`

/**
 * Everything that moved, oldest first. What was paid on an IST day is handed over when the day after it has ended, less
 * the charges; what was paid in another currency never is.
 */
const RECORDS = `
  with paid as (
    select 'payment' as kind, order_id, id::text as id, amount_paise, (${CHARGES})::int8 as charges_paise,
      paid_at as at,
      case when currency = 'INR' then 'sandbox_settlement_' || ${DAY_PAID} end as settlement_id
    from sandbox_payments where paid_at >= $1 and paid_at < $2
  ), refunded as (
    select 'refund', order_id, refund_id, amount_paise, null::int8, done_at, null::text
    from sandbox_refunds where done_at >= $1 and done_at < $2
  ), charged_back as (
    select 'chargeback', order_id, id::text, amount_paise, null::int8, charged_back_at, null::text
    from sandbox_payments where charged_back_at >= $1 and charged_back_at < $2
  ), days as (
    select ${DAY_PAID} as day, amount_paise, ${CHARGES} as charges_paise
    from sandbox_payments where paid_at >= $7 and paid_at < $8 and currency = 'INR'
  ), settled as (
    select 'settlement', null, 'sandbox_settlement_' || day, sum(amount_paise - charges_paise)::int8,
      sum(charges_paise)::int8, to_timestamp((day + 2) * 86400::int8 - 19800), null::text
    from days group by day
  ), records (kind, "orderId", id, "amountPaise", "chargesPaise", at, "settlementId") as (
    table paid union all table refunded union all table charged_back union all table settled
  )
  select kind, "orderId", id, "amountPaise", "chargesPaise", at, "settlementId" from records
  where (at, kind, id) > ($3::timestamptz, $4::text, $5::text) order by at, kind, id limit $6`

export async function listRecords(
  db: Queryable,
  from: Date,
  to: Date,
  cursor: string | null,
): Promise<GatewayResult<GatewayRecords>> {
  const behind = cursor === null ? { at: new Date(0), kind: '', id: '' } : readCursor(cursor)
  if (behind === null) return rejected('invalid_cursor', 'The cursor is not one of these records')
  const records = await db.query<GatewayRecord>(RECORDS, [
    from,
    to,
    behind.at,
    behind.kind,
    behind.id,
    PAGE_SIZE,
    ...settledBetween(from, to),
  ])
  const last = records.at(-1)
  const nextCursor = last === undefined || records.length < PAGE_SIZE ? null : cursorOf(last)
  return value({ records, nextCursor })
}

/** When that was paid which is handed over from one moment to another: whole days, two days before. */
function settledBetween(from: Date, to: Date): [Date, Date] {
  return [firstDayFrom(from), firstDayFrom(to)]
}

function firstDayFrom(moment: Date): Date {
  const epoch = startOfIstDay(0).getTime()
  const day = Math.ceil((moment.getTime() - epoch) / DAY_MS)
  return startOfIstDay(day - 2)
}

function cursorOf({ at, kind, id }: GatewayRecord): string {
  return [at.toISOString(), kind, id].join(' ')
}

function readCursor(cursor: string): { at: Date; kind: string; id: string } | null {
  const [moment = '', kind = '', id = ''] = cursor.split(' ')
  const at = new Date(moment)
  return Number.isNaN(at.getTime()) ? null : { at, kind, id }
}
