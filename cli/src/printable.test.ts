import fc from 'fast-check'
import { expect, test } from 'vitest'
import { printable, printableJson, widthOf, withoutSecrets } from './printable.ts'

// oxlint-disable-next-line no-control-regex -- these are what a terminal obeys
const OBEYED = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/

test('no text makes a terminal do anything', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 50 }), text => {
      expect(printable(text)).not.toMatch(OBEYED)
    }),
  )
})

test('JSON is parsed to the same value after it was made harmless', () => {
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      const json = printableJson(JSON.stringify(value, null, 2))
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)))
      expect(json.replaceAll('\n', '')).not.toMatch(OBEYED)
    }),
  )
})

test('Hindi and emoji stay as they are, and take the columns that a terminal gives them', () => {
  expect(printable('श्रीमती क्\u200dष ☕')).toBe('श्रीमती क्\u200dष ☕')
  expect([widthOf('abc'), widthOf('日本'), widthOf('e\u0301'), widthOf('☕')]).toEqual([3, 4, 1, 2])
})

test('a secret in a message is cut after what it is', () => {
  expect(withoutSecrets('--agent-key=agk_live_abc-1 sk_live_x whsec_a+b/c= ok')).toBe(
    '--agent-key=agk_live_… sk_live_… whsec_… ok',
  )
})
