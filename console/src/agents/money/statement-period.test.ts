import { expect, test } from 'vitest'
import { daysOf, isDay } from './statement-period.ts'

const at = (time: string) => new Date(time)

test('a month is the month in India, also in the hours in which it is another one in London', () => {
  const newYear = at('2026-12-31T18:30:00.000Z')
  expect(daysOf('this_month', newYear)).toEqual({ from_date: '2027-01-01', to_date: '2027-01-31' })
  expect(daysOf('last_month', newYear)).toEqual({ from_date: '2026-12-01', to_date: '2026-12-31' })
  const before = at('2026-12-31T18:29:59.999Z')
  expect(daysOf('this_month', before)).toEqual({ from_date: '2026-12-01', to_date: '2026-12-31' })
})

test('the last day of February follows the calendar', () => {
  expect(daysOf('last_month', at('2028-03-31T06:00:00.000Z')).to_date).toBe('2028-02-29')
  expect(daysOf('last_month', at('2027-03-31T06:00:00.000Z')).to_date).toBe('2027-02-28')
})

test('a financial year begins in April', () => {
  const march = at('2027-03-31T18:29:59.999Z')
  expect(daysOf('this_year', march)).toEqual({ from_date: '2026-04-01', to_date: '2027-03-31' })
  const april = at('2027-03-31T18:30:00.000Z')
  expect(daysOf('this_year', april)).toEqual({ from_date: '2027-04-01', to_date: '2028-03-31' })
  expect(daysOf('last_year', april)).toEqual({ from_date: '2026-04-01', to_date: '2027-03-31' })
})

test('only a day of the calendar is a day', () => {
  expect(['2026-11-30', '', '30.11.2026', '2026-13-01'].map(isDay)).toEqual([true, false, false, false])
})
