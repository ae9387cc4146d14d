import fc from 'fast-check'
import { expect, test } from 'vitest'
import { backoffMs, DAY_MS, istDay, istMonth, startOfIstDay, startOfIstMonth, timeText } from './clock.ts'

const moments = fc.date({
  min: new Date('2000-01-01'),
  max: new Date('2099-12-31'),
  noInvalidDate: true,
})

// The calendar of the time zone database, as an independent opinion.
const calendar = new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Kolkata', dateStyle: 'short' })

function dayAfterEpoch(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / DAY_MS
}

test('a moment lies in the day and month that a calendar in India shows', () => {
  fc.assert(
    fc.property(moments, moment => {
      const date = calendar.format(moment)
      expect(istDay(moment)).toBe(dayAfterEpoch(date))
      expect(istMonth(moment)).toBe((Number(date.slice(0, 4)) - 1970) * 12 + Number(date.slice(5, 7)) - 1)
    }),
    { numRuns: 300 },
  )
})

test.each([
  ['2026-11-20T18:29:59.999Z', '2026-11-20', '2026-11'],
  ['2026-11-20T18:30:00.000Z', '2026-11-21', '2026-11'],
  ['2026-11-30T18:29:59.999Z', '2026-11-30', '2026-11'],
  ['2026-11-30T18:30:00.000Z', '2026-12-01', '2026-12'],
  ['2026-12-31T18:29:59.999Z', '2026-12-31', '2026-12'],
  ['2026-12-31T18:30:00.000Z', '2027-01-01', '2027-01'],
  ['2028-02-28T18:30:00.000Z', '2028-02-29', '2028-02'],
  ['2028-02-29T18:29:59.999Z', '2028-02-29', '2028-02'],
  ['2028-02-29T18:30:00.000Z', '2028-03-01', '2028-03'],
  ['2027-02-28T18:30:00.000Z', '2027-03-01', '2027-03'],
])('%s is %s in India', (text, day, month) => {
  const moment = new Date(text)
  expect(istDay(moment)).toBe(dayAfterEpoch(day))
  expect(startOfIstDay(istDay(moment))).toEqual(new Date(`${day}T00:00:00.000+05:30`))
  expect(startOfIstMonth(istMonth(moment))).toEqual(new Date(`${month}-01T00:00:00.000+05:30`))
})

test('days and months begin at the first millisecond that lies in them', () => {
  fc.assert(
    fc.property(moments, moment => {
      const beginnings = [
        [startOfIstDay, istDay],
        [startOfIstMonth, istMonth],
      ] as const
      for (const [startOf, numberOf] of beginnings) {
        const start = startOf(numberOf(moment))
        expect(start.getTime()).toBeLessThanOrEqual(moment.getTime())
        expect(numberOf(start)).toBe(numberOf(moment))
        expect(numberOf(new Date(start.getTime() - 1))).toBe(numberOf(moment) - 1)
      }
    }),
  )
})

test('a moment is written as its own, whichever was written before', () => {
  const [first, second] = [new Date('2026-11-20T06:30:00.000Z'), new Date('2026-11-20T06:30:00.001Z')]
  const texts = [first, first, second, first].map(timeText)
  expect(texts).toEqual([first, first, second, first].map(moment => moment.toISOString()))
  expect(() => timeText(new Date(Number.NaN))).toThrow(RangeError)
})

test('a pause between attempts doubles from the first to the longest, however many attempts there were', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 60_000 }),
      fc.integer({ min: 0, max: 20 }),
      fc.oneof(fc.integer({ min: -50, max: 50 }), fc.integer({ min: 0 })),
      (firstMs, times, doublings) => {
        const bounds = { firstMs, longestMs: firstMs * 2 ** times }
        const pauseMs = backoffMs(doublings, bounds)
        expect(pauseMs).toBe(doublings >= times ? bounds.longestMs : firstMs * 2 ** Math.max(0, doublings))
        expect(backoffMs(doublings + 1, bounds)).toBeGreaterThanOrEqual(pauseMs)
      },
    ),
  )
  expect([0, 1, 2, 5, 10].map(times => backoffMs(times, { firstMs: 10, longestMs: 100 }))).toEqual([
    10, 20, 40, 100, 100,
  ])
})
