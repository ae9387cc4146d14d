import { ACTIVITY_DAYS, ACTIVITY_HOURS, type Activity, type ErrorCode } from '@batua/contract'
import { DAY_MS, istDay, istHour, startOfIstHour } from '../../kernel/clock.ts'
import type { AdminContext } from './context.ts'
import { durationOf, type PaymentHour, STEPS_MS } from './payment-hours.ts'
import { selectHours } from './payment-hours-store.ts'
import { readPaymentDays, total } from './read-payments.ts'

/** The days are read in one snapshot, so no payment is missing or counted twice. */
export function readActivity({
  database,
  clock,
}: Pick<AdminContext, 'database' | 'clock'>): Promise<Activity> {
  return database.inTransaction(async tx => {
    await tx.query('set transaction isolation level repeatable read, read only')
    const now = clock.now()
    const [firstDay, firstHour] = [istDay(now) - ACTIVITY_DAYS + 1, istHour(now) - ACTIVITY_HOURS + 1]
    const payments = await readPaymentDays(tx, firstDay, istDay(now))
    const requests = await selectHours(tx, firstHour)
    return {
      days: counted(ACTIVITY_DAYS, firstDay).map(day => ({
        day: new Date(day * DAY_MS).toISOString().slice(0, 10),
        ...total(payments.filter(each => each.istDay === day)),
      })),
      hours: counted(ACTIVITY_HOURS, firstHour).map(hour =>
        hourRecord(
          hour,
          requests.filter(each => each.istHour === hour),
        ),
      ),
    }
  })
}

function counted(length: number, from: number): number[] {
  return Array.from({ length }, (_, index) => from + index)
}

/** One hour of all processes. */
function hourRecord(hour: number, parts: readonly PaymentHour[]): Activity['hours'][number] {
  const accepted = counted(STEPS_MS.length + 1, 0).map(step =>
    parts.reduce((sum, part) => sum + (part.accepted[step] ?? 0), 0),
  )
  const all = { accepted, slowestMs: Math.max(0, ...parts.map(({ slowestMs }) => slowestMs)) }
  return {
    from: startOfIstHour(hour).toISOString(),
    accepted: accepted.reduce((sum, count) => sum + count, 0),
    refused: refusalsOf(parts),
    p50_ms: durationOf(all, 0.5),
    p99_ms: durationOf(all, 0.99),
  }
}

function refusalsOf(parts: readonly PaymentHour[]): Activity['hours'][number]['refused'] {
  const sums = new Map<ErrorCode, number>()
  for (const [code, count] of parts.flatMap(
    ({ refused }) => Object.entries(refused) as [ErrorCode, number][],
  ))
    sums.set(code, (sums.get(code) ?? 0) + count)
  return [...sums]
    .map(([code, count]) => ({ code, count }))
    .toSorted((one, other) => other.count - one.count || (one.code < other.code ? -1 : 1))
}
