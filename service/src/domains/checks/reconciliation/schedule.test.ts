import { expect, test } from 'vitest'
import { DAY_MS, istDay } from '../../../kernel/clock.ts'
import { lastDueDay, nightlySpan } from './schedule.ts'

const at = (text: string) => new Date(text)

test('a day’s reconciliation is due at 03:30 in IST', () => {
  const day = istDay(at('2026-11-20T22:00:00Z'))
  expect(lastDueDay(at('2026-11-20T21:59:59.999Z'))).toBe(day - 1)
  expect(lastDueDay(at('2026-11-20T22:00:00.000Z'))).toBe(day)
  expect(lastDueDay(at('2026-11-21T21:59:59.999Z'))).toBe(day)
})

test('a run covers a week and earlier records that were not read; the first run covers 90 days', () => {
  const now = at('2026-11-20T22:00:00Z')
  const before = (count: number) => new Date(now.getTime() - count * DAY_MS)
  const days = (listedTo: Date | null, unlistedFrom: Date | null = null) =>
    (now.getTime() - nightlySpan({ listedTo, unlistedFrom }, now).from.getTime()) / DAY_MS
  expect(days(before(1))).toBe(7)
  expect(days(before(6))).toBe(7)
  expect(days(before(20))).toBe(21)
  expect(days(before(2), before(9))).toBe(9)
  expect(days(null, before(120))).toBe(120)
  expect(days(null)).toBe(90)
})

test('a run includes records that begin at its own moment', () => {
  const now = at('2026-11-20T22:00:00Z')
  expect(nightlySpan({ listedTo: null, unlistedFrom: null }, now).to.getTime()).toBeGreaterThan(now.getTime())
})
