import { expect, describe as group, test } from 'vitest'
import {
  addBusinessDays,
  calendarOf,
  dayFromText,
  dayText,
  estimatedArrival,
  firstYoungDay,
  istTime,
  latestRunDay,
} from './business-days.ts'
import { istDay } from './clock.ts'

const day = (text: string) => dayFromText(text) ?? Number.NaN

/** Friday 1 May, Wednesday 1 April, Friday 25 December and Friday 1 January. */
const HOLIDAYS = ['2026-05-01', '2026-04-01', '2026-12-25', '2027-01-01'].map(day)
const calendar = calendarOf(HOLIDAYS)

group('business days', () => {
  test.each([
    ['2026-11-20', true, 'a Friday'],
    ['2026-11-21', false, 'a Saturday'],
    ['2026-11-22', false, 'a Sunday'],
    ['2026-11-23', true, 'a Monday'],
    ['2026-12-25', false, 'a holiday'],
    ['1969-12-27', false, 'a Saturday before 1970'],
  ])('%s is %s: %s', (text, expected) => {
    expect(calendar.isBusinessDay(day(text))).toBe(expected)
  })

  test.each([
    ['2026-11-18', 2, '2026-11-20', 'within a week'],
    ['2026-11-20', 1, '2026-11-23', 'over a weekend'],
    ['2026-11-21', 1, '2026-11-23', 'from a Saturday'],
    ['2026-04-30', 1, '2026-05-04', 'over a holiday beside a weekend, at a month’s end'],
    ['2026-12-31', 2, '2027-01-05', 'over the end of a year'],
    ['2027-01-04', -2, '2026-12-30', 'back over the end of a year'],
    ['2026-11-20', 0, '2026-11-20', 'no day at all'],
  ])('%s and %i business days are %s: %s', (from, count, to) => {
    expect(dayText(addBusinessDays(calendar, day(from), count))).toBe(to)
  })

  test('a calendar without business days is an error, not a loop without end', () => {
    expect(() => addBusinessDays({ isBusinessDay: () => false }, 0, 1)).toThrow('no business day')
  })
})

group('a day', () => {
  test.each(['2026-02-29', '2026-13-01', '2026-1-1', 'yesterday', '2026-11-20T00:00', ''])(
    '%s is none',
    text => {
      expect(dayFromText(text)).toBeNull()
    },
  )

  test('begins at midnight in India', () => {
    expect(istDay(new Date('2026-11-19T18:29:59.999Z'))).toBe(day('2026-11-19'))
    expect(istDay(new Date('2026-11-19T18:30:00.000Z'))).toBe(day('2026-11-20'))
    expect(istTime(day('2026-11-20'), 10).toISOString()).toBe('2026-11-20T04:30:00.000Z')
  })
})

group('the run that is due', () => {
  test.each([
    ['2026-11-20T04:29:59.999Z', '2026-11-19', 'before ten on a Friday: Thursday’s'],
    ['2026-11-20T04:30:00.000Z', '2026-11-20', 'at ten sharp: Friday’s'],
    ['2026-11-20T18:29:59.999Z', '2026-11-20', 'a moment before midnight in India: Friday’s'],
    ['2026-11-21T06:00:00.000Z', '2026-11-20', 'on a Saturday: Friday’s, should it have been missed'],
    ['2026-11-23T04:29:00.000Z', '2026-11-20', 'before ten on a Monday: Friday’s'],
    ['2027-01-01T12:00:00.000Z', '2026-12-31', 'on New Year’s Day: that of the year before'],
  ])('at %s is of %s: %s', (now, expected) => {
    expect(dayText(latestRunDay(calendar, new Date(now)))).toBe(expected)
  })

  test.each([
    ['2026-11-20', '2026-11-19', 'Friday pays Wednesday’s money and leaves Thursday’s'],
    ['2026-11-23', '2026-11-20', 'Monday pays Thursday’s and leaves Friday’s'],
    ['2026-11-24', '2026-11-21', 'Tuesday pays Friday’s and leaves the weekend’s'],
    ['2026-11-25', '2026-11-24', 'Wednesday pays the weekend’s and Monday’s'],
    ['2026-05-05', '2026-05-01', 'after a long weekend only Thursday’s is old enough'],
    ['2026-05-06', '2026-05-05', 'the holiday’s money counts as Monday’s'],
  ])('on %s leaves what came from %s on: %s', (runDay, expected) => {
    expect(dayText(firstYoungDay(calendar, day(runDay)))).toBe(expected)
  })
})

test('what is sent now is there two business days on, when banking ends', () => {
  const arrival = (now: string) => estimatedArrival(calendar, new Date(now)).toISOString()
  expect(arrival('2026-11-20T10:15:30.000Z')).toBe('2026-11-24T12:30:00.000Z')
  expect(arrival('2026-11-21T10:00:00.000Z')).toBe('2026-11-24T12:30:00.000Z')
  expect(arrival('2026-11-18T18:29:00.000Z')).toBe('2026-11-20T12:30:00.000Z')
  expect(arrival('2026-11-18T18:30:00.000Z')).toBe('2026-11-23T12:30:00.000Z')
})
