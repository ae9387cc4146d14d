import fc from 'fast-check'
import { expect, test } from 'vitest'
import { HOUR_MS } from '../../kernel/clock.ts'
import { manualClock } from '../../testing/manual-clock.ts'
import { createPaymentMeter, durationOf, STEPS_MS, stepOf } from './payment-hours.ts'

const NOON = new Date('2026-11-20T06:30:00.000Z')

/** What the meter counted of these durations. */
function metered(durations: readonly number[]) {
  const meter = createPaymentMeter(manualClock(NOON))
  for (const duration of durations) meter.accepted(duration)
  const [hour] = meter.unsaved()
  if (hour === undefined) throw new Error('nothing was counted')
  return hour
}

test('a stated duration is never below the true one, and at most the next step or the slowest request', () => {
  const anyDurations = fc.array(fc.double({ min: 0, max: 40_000, noNaN: true }), {
    minLength: 1,
    maxLength: 200,
  })
  fc.assert(
    fc.property(anyDurations, fc.constantFrom(0.5, 0.99), (durations, share) => {
      const sorted = durations.toSorted((one, other) => one - other)
      const exact = sorted[Math.ceil(sorted.length * share) - 1] ?? 0
      const stated = durationOf(metered(durations), share) ?? -1
      const most = Math.min(STEPS_MS[stepOf(exact)] ?? Infinity, sorted.at(-1) ?? 0)
      expect(stated).toBeGreaterThanOrEqual(exact)
      expect(stated).toBeLessThanOrEqual(most + 0.01)
    }),
  )
})

test('no duration is stated for an hour in which nothing was accepted', () => {
  expect(durationOf({ accepted: [0, 0], slowestMs: 0 }, 0.5)).toBeNull()
})

test('a request belongs to the hour in India in which it ended', () => {
  const clock = manualClock(new Date('2026-11-20T06:29:59.999Z'))
  const meter = createPaymentMeter(clock)
  meter.accepted(5)
  clock.advance(1)
  meter.refused('insufficient_balance')
  meter.refused('insufficient_balance')
  expect(meter.unsaved()).toMatchObject([
    { accepted: expect.arrayContaining([1]), refused: {} },
    { refused: { insufficient_balance: 2 } },
  ])
})

test('what is counted while earlier counts are saved is saved next, together with them', () => {
  const meter = createPaymentMeter(manualClock(NOON))
  meter.refused('not_found')
  const saving = meter.unsaved()
  meter.refused('not_found')
  meter.saved(saving)
  expect(saving).toMatchObject([{ refused: { not_found: 1 } }])
  expect(meter.unsaved()).toMatchObject([{ refused: { not_found: 2 } }])
  meter.saved(meter.unsaved())
  expect(meter.unsaved()).toEqual([])
})

test('hours that are saved leave the memory, and an hour to which the clock returns keeps its counts', () => {
  const clock = manualClock(NOON)
  const meter = createPaymentMeter(clock)
  for (let hour = 0; hour < 5; hour++) {
    meter.refused('not_found')
    meter.saved(meter.unsaved())
    clock.advance(HOUR_MS)
  }
  clock.advance(-HOUR_MS)
  meter.refused('not_found')
  expect(meter.unsaved()).toMatchObject([{ refused: { not_found: 2 } }])
  clock.advance(-3 * HOUR_MS)
  meter.refused('not_found')
  expect(meter.unsaved().map(({ refused }) => refused)).toEqual([{ not_found: 2 }, { not_found: 1 }])
})
