import { expect, test } from 'vitest'
import { decideCode, needsAnotherCode, type SendFacts, TRIES } from './decide.ts'

const NOW = new Date('2026-11-20T10:15:30.000Z')
const HOUR_MS = 3_600_000
const ago = (ms: number) => new Date(NOW.getTime() - ms)
const here = (sentAt: readonly Date[]): SendFacts => ({
  here: sentAt,
  known: null,
  unknownPlaces: [],
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

test('after ten codes in an hour a requester gets the next one three minutes after the last', () => {
  const ten = (lastMs: number) => [...Array.from({ length: 9 }, () => ago(HOUR_MS - 1)), ago(lastMs)]
  expect(decideCode(here(ten(40_000)), NOW)).toMatchObject(retryAfter(140))
  expect(decideCode(here(ten(179_999)), NOW)).toMatchObject(retryAfter(1))
  expect(decideCode(here(ten(180_000)), NOW)).toMatchObject({ kind: 'code' })
  expect(decideCode(here(ten(40_000)), new Date(NOW.getTime() + 1))).toMatchObject({ kind: 'code' })
})

test('ten minutes after a right code at most 55 tries of another one were possible for its requester', () => {
  let sent: readonly Date[] = []
  let tries = 0
  for (let ms = 0; ms < 600_000; ms += 1_000) {
    const code = decideCode(here(sent), new Date(NOW.getTime() + ms))
    if (code.kind === 'refusal') continue
    sent = code.sent.here
    tries += TRIES
  }
  expect(tries).toBe(55)
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
  const facts = flooded(1, { known: [ago(60_000)] })
  expect(decideCode(facts, NOW)).toEqual({
    kind: 'code',
    isTrusted: true,
    sent: { here: [NOW], known: [ago(60_000), NOW], unknownPlaces: facts.unknownPlaces },
  })
})

test('a known place that asked for ten codes in an hour counts as an unknown one for the rest of it', () => {
  const known = Array.from({ length: 10 }, () => ago(HOUR_MS - 1))
  expect(decideCode(flooded(1, { known }), NOW)).toMatchObject({ kind: 'shared', isTrusted: false })
  const later = decideCode(flooded(1, { known }), new Date(NOW.getTime() + 1))
  expect(later).toMatchObject({ kind: 'code', isTrusted: true })
})

test('moments older than an hour are removed from the lists', () => {
  const sentAt = [ago(3 * HOUR_MS), ago(2 * HOUR_MS), ago(60_000)]
  expect(decideCode({ ...here(sentAt), unknownPlaces: sentAt }, NOW)).toEqual({
    kind: 'code',
    isTrusted: false,
    sent: { here: [ago(60_000), NOW], known: null, unknownPlaces: [ago(60_000), NOW] },
  })
  const sent = decideCode(flooded(180_000), NOW)
  expect(sent.kind === 'code' ? sent.sent.unknownPlaces : []).toHaveLength(20)
})

test.each([
  ['that of the hundredth try is enough', { tries: 100, wrongTries: 1_000, rightCodes: 1 }, false],
  ['that of the hundred and first try needs another', { tries: 101, wrongTries: 0, rightCodes: 1 }, true],
  [
    'one after a thousand wrong tries over all phones needs another',
    { tries: 1, wrongTries: 1_001, rightCodes: 1 },
    true,
  ],
  ['the second is enough', { tries: 101, wrongTries: 20_000, rightCodes: 2 }, false],
  [
    'the second needs another after 20,000 wrong tries',
    { tries: 1, wrongTries: 20_001, rightCodes: 2 },
    true,
  ],
  ['the third is enough', { tries: 101, wrongTries: 1_000_000, rightCodes: 3 }, false],
])('of right codes from an unknown place, %s', (_which, facts, needed) => {
  expect(needsAnotherCode(facts)).toBe(needed)
})
