import { expect, test } from 'vitest'
import { spanOf } from './date-span.ts'

const iso = (from?: string, to?: string) => {
  const span = spanOf(from, to)
  return [span.from?.toISOString() ?? null, span.until?.toISOString() ?? null]
}

test('a date is a whole IST day, both ends included', () => {
  expect(iso('2026-11-01', '2026-11-30')).toEqual(['2026-10-31T18:30:00.000Z', '2026-11-30T18:30:00.000Z'])
  expect(iso('2028-02-29', '2028-02-29')).toEqual(['2028-02-28T18:30:00.000Z', '2028-02-29T18:30:00.000Z'])
})

test('a time is in the span that begins or ends with it', () => {
  expect(iso('2026-11-01T00:00:00.250Z', '2026-11-01T00:00:00.250Z')).toEqual([
    '2026-11-01T00:00:00.250Z',
    '2026-11-01T00:00:00.251Z',
  ])
})

test.each([
  ['2026-11-01T05:30:00+05:30', '2026-11-01T00:00:00.000Z'],
  ['2026-11-01t00:00:00z', '2026-11-01T00:00:00.000Z'],
  ['2026-11-01T00:00:00.1230000Z', '2026-11-01T00:00:00.123Z'],
  ['2026-11-01T00:00:00.1230001Z', '2026-11-01T00:00:00.124Z'],
])('a time before %s is not in the span', (text, first) => {
  expect(iso(text)).toEqual([first, null])
})

test('a span without ends is open', () => {
  expect(iso()).toEqual([null, null])
})
