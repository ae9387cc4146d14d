import type { ErrorCode } from '@batua/contract'
import { arrayLiteral } from '../../db/array-literal.ts'
import type { Queryable } from '../../db/database.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { PaymentHour } from './payment-hours.ts'

/** Writes what this process counted in an hour, as totals: the same write again changes nothing. */
export async function saveHour(db: Queryable, process: Uuid, hour: PaymentHour): Promise<void> {
  await db.query(
    `insert into payment_hours (ist_hour, process, accepted, slowest_ms, refused) values ($1, $2, $3, $4, $5)
     on conflict (ist_hour, process) do update set accepted = excluded.accepted,
       slowest_ms = excluded.slowest_ms, refused = excluded.refused`,
    [hour.istHour, process, arrayLiteral(hour.accepted), hour.slowestMs, JSON.stringify(hour.refused)],
  )
}

export async function deleteHoursBefore(db: Queryable, istHour: number): Promise<void> {
  await db.query(`delete from payment_hours where ist_hour < $1`, [istHour])
}

interface Row {
  readonly istHour: number
  readonly accepted: readonly bigint[]
  readonly slowestMs: number
  readonly refused: Readonly<Partial<Record<ErrorCode, number>>>
}

/** The rows of all processes from an hour on. */
export async function selectHours(db: Queryable, fromHour: number): Promise<PaymentHour[]> {
  const rows = await db.query<Row>(
    `select ist_hour as "istHour", accepted, slowest_ms as "slowestMs", refused
     from payment_hours where ist_hour >= $1`,
    [fromHour],
  )
  return rows.map(row => ({ ...row, accepted: row.accepted.map(Number) }))
}
