import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DAY_MS, HOUR_MS, istDay, istMonth } from '../kernel/clock.ts'
import { paise } from '../kernel/money.ts'
import { nothingSpent } from '../testing/accounts.ts'
import {
  addSpending,
  isBound,
  rollForward,
  rollingSpent,
  type Spending,
  setExact,
  WINDOW_MS,
} from './spending.ts'

const at = (text: string) => Date.parse(text)

/** Pays 5 INR at one time and returns the windows at another. */
function shownAfter(paidAt: string, seenMs: number): Spending {
  const spending = nothingSpent(at(paidAt) - 3 * DAY_MS)
  spending.lastSpentMs = at(paidAt) - 3 * DAY_MS
  rollForward(spending, at(paidAt))
  addSpending(spending, paise(500n), at(paidAt))
  rollForward(spending, seenMs)
  return spending
}

test('a payment leaves the rolling windows exactly one length later, to the millisecond', () => {
  const paidAt = '2026-11-20T10:00:00.000Z'
  const lengths = { hour: HOUR_MS, day: DAY_MS } as const
  for (const window of ['hour', 'day'] as const) {
    const last = shownAfter(paidAt, at(paidAt) + lengths[window] - 1)
    const first = shownAfter(paidAt, at(paidAt) + lengths[window])
    expect([rollingSpent(last, window), rollingSpent(first, window)]).toEqual([500n, 0n])
    expect(isBound(first, window, at(paidAt) + lengths[window])).toBe(false)
  }
})

test.each([
  ['midnight in India', '2026-11-20T10:00:00.000Z', '2026-11-20T18:30:00.000Z', false],
  ['the end of a month', '2026-11-30T10:00:00.000Z', '2026-11-30T18:30:00.000Z', true],
  ['the end of a year', '2026-12-31T18:29:59.999Z', '2026-12-31T18:30:00.000Z', true],
  ['28 February of a leap year', '2028-02-28T18:29:59.999Z', '2028-02-28T18:30:00.000Z', false],
  ['29 February', '2028-02-29T18:29:59.999Z', '2028-02-29T18:30:00.000Z', true],
  ['28 February of another year', '2027-02-28T18:29:59.999Z', '2027-02-28T18:30:00.000Z', true],
])('%s ends the day, and the month with it when it does', (_what, paidAt, end, endsMonth) => {
  const before = shownAfter(paidAt, at(end) - 1)
  expect(before).toMatchObject({ istDaySpentPaise: 500n, istMonthSpentPaise: 500n })
  const after = shownAfter(paidAt, at(end))
  expect(after).toMatchObject({ istDaySpentPaise: 0n, istMonthSpentPaise: endsMonth ? 0n : 500n })
})

test('the same day of the next month starts a new month sum', () => {
  const spending = shownAfter('2026-11-20T10:00:00.000Z', at('2026-12-20T10:00:00.000Z'))
  expect(spending).toMatchObject({ istDaySpentPaise: 0n, istMonthSpentPaise: 0n })
})

interface Step {
  readonly waitMs: number
  readonly amount: bigint
  readonly sharpens: boolean
}

const waits = fc.oneof(
  fc.constantFrom(0, 1, HOUR_MS - 1, HOUR_MS, HOUR_MS + 1, DAY_MS - 1, DAY_MS, DAY_MS + 1),
  fc.nat(2 * HOUR_MS),
  fc.nat(40 * DAY_MS),
)
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({ waitMs: waits, amount: fc.bigInt(0n, 1_000n), sharpens: fc.boolean() }),
  { maxLength: 60 },
)

test('rolling sums are never too low and are exact after a read, and calendar sums are always exact', () => {
  fc.assert(
    fc.property(
      fc.date({ min: new Date('2026-01-01'), max: new Date('2029-01-01'), noInvalidDate: true }),
      steps,
      (opened, all) => {
        let nowMs = opened.getTime()
        const spending = nothingSpent(nowMs)
        const paid: { readonly ms: number; readonly amount: bigint }[] = []
        const sum = (isIn: (ms: number) => boolean) =>
          paid.filter(({ ms }) => isIn(ms)).reduce((total, { amount }) => total + amount, 0n)

        for (const step of all) {
          nowMs += step.waitMs
          rollForward(spending, nowMs)
          for (const window of ['hour', 'day'] as const) {
            const spent = sum(ms => ms > nowMs - WINDOW_MS[window])
            if (step.sharpens) setExact(spending, window, paise(spent), nowMs)
            expect(rollingSpent(spending, window)).toBeGreaterThanOrEqual(spent)
            if (!isBound(spending, window, nowMs)) expect(rollingSpent(spending, window)).toBe(spent)
          }
          const now = new Date(nowMs)
          expect(spending.istDaySpentPaise).toBe(sum(ms => istDay(new Date(ms)) === istDay(now)))
          expect(spending.istMonthSpentPaise).toBe(sum(ms => istMonth(new Date(ms)) === istMonth(now)))
          if (step.amount === 0n) continue
          addSpending(spending, paise(step.amount), nowMs)
          paid.push({ ms: nowMs, amount: step.amount })
        }
      },
    ),
  )
})
