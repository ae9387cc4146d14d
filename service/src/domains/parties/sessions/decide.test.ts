import { expect, test } from 'vitest'
import { decideCode, needsSecondCode, type SendFacts } from './decide.ts'

const NOW = new Date('2026-11-20T10:15:30.000Z')
const HOUR_MS = 3_600_000
const ago = (ms: number) => new Date(NOW.getTime() - ms)
const here = (sentAt: readonly Date[]): SendFacts => ({
  here: sentAt,
  strangers: [],
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
])('within 30 s of the last, one has to wait for the %d s that are left', (waitS, sentAt) => {
  expect(decideCode(here(sentAt), NOW)).toMatchObject(retryAfter(waitS))
})

test('the eleventh in an hour waits until the first is an hour old, to the millisecond', () => {
  const ten = [ago(HOUR_MS - 1), ...Array.from({ length: 9 }, () => ago(40_000))]
  expect(decideCode(here(ten), NOW)).toMatchObject(retryAfter(1))
  expect(decideCode(here(ten), new Date(NOW.getTime() + 1))).toMatchObject({ kind: 'code' })
})

const SHARED = { hash: Buffer.from('the last code'), expiresAt: new Date(NOW.getTime() + 120_000) }
const flooded = (lastMs: number, facts: Partial<SendFacts> = {}): SendFacts => ({
  ...here([]),
  strangers: [...Array.from({ length: 19 }, () => ago(2_000_000)), ago(lastMs)],
  shared: SHARED,
  ...facts,
})

test('strangers get twenty messages an hour to one phone, then one in three minutes, and between them the last code', () => {
  const nineteen = { ...flooded(1), strangers: Array.from({ length: 19 }, () => ago(1)) }
  expect(decideCode(nineteen, NOW)).toMatchObject({ kind: 'code' })
  expect(decideCode(flooded(179_999), NOW)).toMatchObject({ kind: 'shared', code: SHARED })
  expect(decideCode(flooded(180_000), NOW)).toMatchObject({ kind: 'code' })
})

test('where the last code was used or is too old, another is sent', () => {
  expect(decideCode(flooded(1, { shared: null }), NOW)).toMatchObject({ kind: 'code' })
  const old = { ...SHARED, expiresAt: NOW }
  expect(decideCode(flooded(1, { shared: old }), NOW)).toMatchObject({ kind: 'code' })
})

test('what strangers ask for does not brake a place that is known, and its codes count for no stranger', () => {
  const facts = flooded(1, { isKnown: true })
  expect(decideCode(facts, NOW)).toEqual({
    kind: 'code',
    sent: { here: [NOW], strangers: facts.strangers },
  })
})

test('what is older than an hour is forgotten, so the lists stay short', () => {
  const sentAt = [ago(3 * HOUR_MS), ago(2 * HOUR_MS), ago(60_000)]
  expect(decideCode({ ...here(sentAt), strangers: sentAt }, NOW)).toEqual({
    kind: 'code',
    sent: { here: [ago(60_000), NOW], strangers: [ago(60_000), NOW] },
  })
  const sent = decideCode(flooded(180_000), NOW)
  expect(sent.kind === 'code' ? sent.sent.strangers : []).toHaveLength(20)
})

test.each([
  ['the hundredth try', { tries: 100, wrongTries: 1_000, secondUntil: null }, false],
  ['the hundred and first', { tries: 101, wrongTries: 0, secondUntil: null }, true],
  ['after a thousand wrong tries over all phones', { tries: 1, wrongTries: 1_001, secondUntil: null }, true],
  ['the second code', { tries: 101, wrongTries: 1_001, secondUntil: new Date(NOW.getTime() + 1) }, false],
  ['a second code that comes too late', { tries: 101, wrongTries: 0, secondUntil: NOW }, true],
])('a right code of a stranger: %s', (_which, facts, needed) => {
  expect(needsSecondCode(facts, NOW)).toBe(needed)
})
