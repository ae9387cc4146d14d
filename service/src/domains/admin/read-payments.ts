import type { Overview } from '@batua/contract'
import type { Queryable } from '../../db/database.ts'
import { startOfIstDay } from '../../kernel/clock.ts'
import { firstUuidAt } from '../../kernel/ids.ts'
import { rupees } from '../../kernel/money.ts'
import { readFoldedBefore } from '../../ledger/index.ts'
import { type PaymentDay, selectDays, selectUnfoldedDays } from './payment-days-store.ts'

const LAST_DAYS = 30

/** The payments of today and of the last 30 days in IST. */
export async function readPayments(tx: Queryable, today: number): Promise<Overview['payments']> {
  const days = await readPaymentDays(tx, today - LAST_DAYS + 1, today)
  return { today: total(days.filter(day => day.istDay === today)), last_30_days: total(days) }
}

/**
 * The payments of days in IST, both ends included: the sums of folded days, plus the payments behind the cursor, which
 * are those of the last minutes. A day may be in both. Both must be read in one snapshot, or a concurrent fold is counted
 * twice.
 */
export async function readPaymentDays(tx: Queryable, firstDay: number, today: number): Promise<PaymentDay[]> {
  const folded = await readFoldedBefore(tx, 'payment days')
  const firstId = firstUuidAt(startOfIstDay(firstDay))
  return [
    ...(await selectDays(tx, firstDay)),
    ...(await selectUnfoldedDays(tx, folded > firstId ? folded : firstId)),
  ].filter(day => day.istDay >= firstDay && day.istDay <= today)
}

export function total(days: readonly PaymentDay[]) {
  const sum = (amount: (day: PaymentDay) => bigint) => days.reduce((before, day) => before + amount(day), 0n)
  return {
    count: Number(sum(day => day.count)),
    volume: rupees(sum(day => day.volumePaise)),
    fees: rupees(sum(day => day.feesPaise)),
  }
}
