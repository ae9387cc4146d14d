/** A period that is often asked for; `own`: the owner names the days. */
export type PeriodName = 'this_month' | 'last_month' | 'this_year' | 'last_year' | 'own'

/** Days in India, both included, as the service takes them. */
export interface Days {
  readonly from_date: string
  readonly to_date: string
}

const IST_MS = 5.5 * 3_600_000
const MARCH = 2

/** The days of a period. A year is India's financial year, which begins in April. */
export function daysOf(period: Exclude<PeriodName, 'own'>, now: Date): Days {
  const ist = new Date(now.getTime() + IST_MS)
  const [year, month] = [ist.getUTCFullYear(), ist.getUTCMonth()]
  const april = month > MARCH ? year : year - 1
  switch (period) {
    case 'this_month':
      return between(day(year, month, 1), day(year, month + 1, 0))
    case 'last_month':
      return between(day(year, month - 1, 1), day(year, month, 0))
    case 'this_year':
      return between(day(april, MARCH + 1, 1), day(april + 1, MARCH + 1, 0))
    case 'last_year':
      return between(day(april - 1, MARCH + 1, 1), day(april, MARCH + 1, 0))
  }
}

/** Whether a field holds a day. */
export function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))
}

function between(from_date: string, to_date: string): Days {
  return { from_date, to_date }
}

/** Day 0 of a month is the last one of the month before. */
function day(year: number, month: number, date: number): string {
  return new Date(Date.UTC(year, month, date)).toISOString().slice(0, 10)
}
