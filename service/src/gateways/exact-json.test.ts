import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rupeesText } from '../kernel/money.ts'
import { at, momentAt, paiseFromText, parseExactJson, textAt } from './exact-json.ts'

test('an id of 19 digits keeps them all, as a number and as a text', () => {
  const json = parseExactJson(
    '{"bare":9007199254740993127,"text":"9007199254740993127","deep":{"id":-1.50e3}}',
  )
  expect(textAt(json, 'bare')).toBe('9007199254740993127')
  expect(textAt(json, 'text')).toBe('9007199254740993127')
  expect(textAt(json, 'deep', 'id')).toBe('-1.50e3')
})

test.each([
  ['1000', 100_000n],
  ['1000.5', 100_050n],
  ['1000.50', 100_050n],
  ['1000.500', 100_050n],
  ['0.01', 1n],
  ['1E7', 1_000_000_000n],
  ['1.2345e2', 12_345n],
  ['1.0E7', 1_000_000_000n],
  ['12345e-2', 12_345n],
  ['90071992547409.93', 9_007_199_254_740_993n],
  ['-5', -500n],
  ['0.001', null],
  ['1.005', null],
  ['1e-3', null],
  ['', null],
  ['NaN', null],
  ['1,000', null],
  ['0x10', null],
  [' 1', null],
  ['1e999', null],
])('the amount %j is %s paise', (text, expected) => {
  expect(paiseFromText(text)).toBe(expected)
})

test('every amount that is written is read back to the paisa', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 10n ** 18n), amount => {
      expect(paiseFromText(rupeesText(amount))).toBe(amount)
    }),
  )
})

test('what is no JSON is undefined, and nothing is found on a path that is not there', () => {
  expect(parseExactJson('{"order_id": "fund_01')).toBeUndefined()
  expect(parseExactJson('')).toBeUndefined()
  const json = parseExactJson('{"list":[1],"none":null,"empty":""}')
  for (const path of [['list', '0'], ['none', 'x'], ['missing'], ['empty'], ['toString'], ['__proto__']]) {
    expect(textAt(json, ...path)).toBeNull()
  }
  expect(at(undefined, 'a')).toBeUndefined()
})

test.each([
  ['2026-11-20T15:30:00+05:30', '2026-11-20T10:00:00.000Z'],
  ['2026-11-20T10:00:00Z', '2026-11-20T10:00:00.000Z'],
  ['2026-11-20T15:30:00', '2026-11-20T10:00:00.000Z'],
  ['2026-11-20 15:30:00', '2026-11-20T10:00:00.000Z'],
  ['20/11/2026', null],
  ['1763632800', null],
  ['2026-13-40T00:00:00Z', null],
])('the time %j is %s', (text, expected) => {
  expect(momentAt({ time: text }, 'time')?.toISOString() ?? null).toBe(expected)
})

test('a response that nests too deeply is refused, and brackets in its texts do not count', () => {
  const nested = (depth: number, inside: string) => `${'['.repeat(depth)}${inside}${']'.repeat(depth)}`
  expect(parseExactJson(nested(33, '1'))).toBeUndefined()
  expect(parseExactJson(nested(100_000, ''))).toBeUndefined()
  expect(parseExactJson(nested(32, JSON.stringify('[{"\\'.repeat(50))))).toBeDefined()
})
