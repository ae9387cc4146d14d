import { expect, test } from 'vitest'
import { formatOf } from './format.ts'
import { plural, texts } from './texts.ts'

const en = formatOf('en')
const hi = formatOf('hi')
const NOW = new Date('2026-11-23T10:00:00.000Z')

test('amounts have Indian groups and two decimals in both languages', () => {
  for (const { amount } of [en, hi]) {
    expect(amount(100_000)).toBe('₹1,00,000.00')
    expect(amount(0.5)).toBe('₹0.50')
    expect(amount(10_000_000_000)).toBe('₹10,00,00,00,000.00')
    expect(amount(-402)).toBe('-₹402.00')
  }
})

test('times are Indian Standard Time, and name the year when it is another', () => {
  expect(en.moment('2026-11-20T20:15:30.000Z', NOW)).toBe('21 Nov, 1:45 am IST')
  expect(en.moment('2025-12-31T18:29:59.000Z', NOW)).toBe('31 Dec 2025, 11:59 pm IST')
  expect(en.date('2026-12-31T18:30:00.000Z')).toBe('1 Jan 2027')
  expect(hi.moment('2026-11-20T20:15:30.000Z', NOW)).toBe('21 नव॰, 1:45 am IST')
})

test('axes have short days, hours and amounts, in IST and in lakhs and crores', () => {
  expect([en.day('2026-11-20'), hi.day('2026-11-20')]).toEqual(['20 Nov', '20 नव॰'])
  expect(en.hour('2026-11-20T09:30:00.000Z')).toBe('3 pm')
  expect([0, 950, 150_000, 20_000_000].map(en.shortAmount)).toEqual(['₹0', '₹950', '₹1.5L', '₹2Cr'])
})

test('a duration has at most two units and is never longer than what is left', () => {
  expect(en.duration(5 * 3_600_000 + 12 * 60_000 + 59_000)).toBe('5 hours 12 minutes')
  expect(en.duration(86_400_000)).toBe('1 day')
  expect(en.duration(61_999)).toBe('1 minute 1 second')
  expect(en.duration(400)).toBe('0 seconds')
  expect(en.duration(-1)).toBe('0 seconds')
})

test('a plural form replaces its number as the language writes it', () => {
  const forms = { one: '# request waits', other: '# requests wait' }
  expect([plural.en(1, forms), plural.en(0, forms), plural.en(123_456, forms)]).toEqual([
    '1 request waits',
    '0 requests wait',
    '1,23,456 requests wait',
  ])
})

test('a name that is written from right to left is isolated in a sentence, and other names are unchanged', () => {
  const { en: t } = texts({
    en: { page: { paid: (name: string, amount: string) => `${name} was paid ${amount}` } },
    hi: { page: { paid: (name: string, amount: string) => `${name} को ${amount} मिले` } },
  })
  expect(t.page.paid('مطبعة 9', '₹400.00')).toBe('\u2068مطبعة 9\u2069 was paid ₹400.00')
  expect(t.page.paid('Asha ଓଡ଼ିଆ', '₹400.00')).toBe('Asha ଓଡ଼ିଆ was paid ₹400.00')
})
