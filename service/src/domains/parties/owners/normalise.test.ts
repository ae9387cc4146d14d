import { expect, test } from 'vitest'
import { isBankAccount, maskPan, normaliseIfsc, normalisePan, normalisePhone } from './normalise.ts'

test.each([
  '9876543210',
  '+919876543210',
  '+91 98765 43210',
  '+91-98765-43210',
  '00919876543210',
  '919876543210',
  '09876543210',
  '(098765) 43210',
])('the phone %j is normalised to the ten digits 9876543210', written => {
  expect(normalisePhone(written)).toBe('9876543210')
})

test('a number of ten digits that begins with 91 keeps all digits', () => {
  expect(normalisePhone('9198765432')).toBe('9198765432')
})

test.each([
  ['a landline', '5876543210'],
  ['nine digits', '987654321'],
  ['eleven digits', '98765432101'],
  ['another country', '+19876543210'],
  ['Devanagari digits', '\u0967\u0968\u0969\u096a\u096b\u096c\u096d\u096e\u096f\u0966'],
  ['full-width digits', '\uff19876543210'],
  ['letters', '98765abcde'],
  ['nothing', ''],
  ['a NUL', '98765\u000043210'],
  ['a newline', '98765\n43210'],
  ['SQL', "9876543210' or '1'='1"],
])('a phone with %s is refused', (_what, written) => {
  expect(normalisePhone(written)).toBeNull()
})

test.each([
  ['ABCDE1234F', 'ABCDE1234F'],
  ['abcde1234f', 'ABCDE1234F'],
])('the PAN %j is stored as %j', (written, pan) => {
  expect(normalisePan(written)).toBe(pan)
})

test.each([
  'ABCD1234F',
  'ABCDE12345',
  'ABCDE1234FG',
  ' ABCDE1234F',
  'ABCDE1234F\n',
  'ABCDE\u0967234F',
  'ABCDE1234\u017f',
  'ABCD\u0131 1234F',
  '\u0410BCDE1234F',
  '',
])('the PAN %j is refused', written => {
  expect(normalisePan(written)).toBeNull()
})

test('a masked PAN shows its first three and last two characters', () => {
  expect(maskPan('ABCDE1234F')).toBe('ABCxxxxx4F')
})

test('a bank account has 9 to 18 digits, and an IFSC is accepted in upper and lower case', () => {
  expect(['123456789', '123456789012345678'].map(isBankAccount)).toEqual([true, true])
  expect(['12345678', '1234567890123456789', '12345678a', '\u0967234567890'].map(isBankAccount)).toEqual([
    false,
    false,
    false,
    false,
  ])
  expect(normaliseIfsc('hdfc0001234')).toBe('HDFC0001234')
  expect(['HDFC1001234', 'HDF0001234', 'HDFC000123\u0967'].map(normaliseIfsc)).toEqual([null, null, null])
})
