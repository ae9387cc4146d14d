import { expect, test } from 'vitest'
import { decideCode, needsSecondCode, type SendFacts } from './decide.ts'

const NOW = new Date('2026-11-20T10:15:30.000Z')
const HOUR_MS = 3_600_000
const ago = (ms: number) => new Date(NOW.getTime() - ms)
const here = (sentAt: readonly Date[]): SendFacts => ({
  here: sentAt,
  unknownPlaces: [],
  isKnown: false,
  shared: null,
})
const retryAfter = (waitS: number) => ({
  kind: 'refusal',
  code: 'rate_limit_exceeded',
  headers: { 'retry-after': String(waitS) },
})

test.each([
  ['never before', []],
  ['30 s after the last', [ago(30_000)]],
  ['with nine in the hour', Array.from({ length: 9 }, (_, index) => ago((59 - index) * 60_000))],
  ['when the tenth is an hour old', [ago(HOUR_MS), ...Array.from({ length: 9 }, () => ago(40_000))]],
])('a code is sent %s', (_when, sentAt) => {
  expect(decideCode(here(sentAt), NOW)).toMatchObject({ kind: 'code' })
})

test.each([
  [30, [NOW]],
  [1, [ago(29_999)]],
  [15, [ago(15_000)]],
  [31, [new Date(NOW.getTime() + 1_000)]],
])('within 30 s of the last code the caller has to wait for the remaining %d s', (waitS, sentAt) => {
  expect(decideCode(here(sentAt), NOW)).toMatchObject(retryAfter(waitS))
})

test('the eleventh code in an hour is sent exactly when the first is an hour old', () => {
  const ten = [ago(HOUR_MS - 1), ...Array.from({ length: 9 }, () => ago(40_000))]
  expect(decideCode(here(ten), NOW)).toMatchObject(retryAfter(1))
  expect(decideCode(here(ten), new Date(NOW.getTime() + 1))).toMatchObject({ kind: 'code' })
})

const SHARED = { hash: Buffer.from('the last code'), expiresAt: new Date(NOW.getTime() + 120_000) }
const flooded = (lastMs: number, facts: Partial<SendFacts> = {}): SendFacts => ({
  ...here([]),
  unknownPlaces: [...Array.from({ length: 19 }, () => ago(2_000_000)), ago(lastMs)],
  shared: SHARED,
  ...facts,
})

test('unknown places cause twenty messages an hour to a phone, then one in three minutes, and otherwise share the last code', () => {
  const nineteen = { ...flooded(1), unknownPlaces: Array.from({ length: 19 }, () => ago(1)) }
  expect(decideCode(nineteen, NOW)).toMatchObject({ kind: 'code' })
  expect(decideCode(flooded(179_999), NOW)).toMatchObject({ kind: 'shared', code: SHARED })
  expect(decideCode(flooded(180_000), NOW)).toMatchObject({ kind: 'code' })
})

test('another code is sent if the last one was used or is too old', () => {
  expect(decideCode(flooded(1, { shared: null }), NOW)).toMatchObject({ kind: 'code' })
  const old = { ...SHARED, expiresAt: NOW }
  expect(decideCode(flooded(1, { shared: old }), NOW)).toMatchObject({ kind: 'code' })
})

test('requests from unknown places do not limit a known place, and its codes do not count for unknown places', () => {
  const facts = flooded(1, { isKnown: true })
  expect(decideCode(facts, NOW)).toEqual({
    kind: 'code',
    sent: { here: [NOW], unknownPlaces: facts.unknownPlaces },
  })
})

test('moments older than an hour are removed from the lists', () => {
  const sentAt = [ago(3 * HOUR_MS), ago(2 * HOUR_MS), ago(60_000)]
  expect(decideCode({ ...here(sentAt), unknownPlaces: sentAt }, NOW)).toEqual({
    kind: 'code',
    sent: { here: [ago(60_000), NOW], unknownPlaces: [ago(60_000), NOW] },
  })
  const sent = decideCode(flooded(180_000), NOW)
  expect(sent.kind === 'code' ? sent.sent.unknownPlaces : []).toHaveLength(20)
})

test.each([
  ['the hundredth try', { tries: 100, wrongTries: 1_000, secondUntil: null }, false],
  ['the hundred and first', { tries: 101, wrongTries: 0, secondUntil: null }, true],
  ['after a thousand wrong tries over all phones', { tries: 1, wrongTries: 1_001, secondUntil: null }, true],
  ['the second code', { tries: 101, wrongTries: 1_001, secondUntil: new Date(NOW.getTime() + 1) }, false],
  ['a second code that comes too late', { tries: 101, wrongTries: 0, secondUntil: NOW }, true],
])('a right code from an unknown place: %s', (_which, facts, needed) => {
  expect(needsSecondCode(facts, NOW)).toBe(needed)
})
