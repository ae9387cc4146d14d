import { expect, test } from 'vitest'
import { decideCode } from './decide.ts'

const NOW = new Date('2026-11-20T10:15:30.000Z')
const HOUR_MS = 3_600_000
const ago = (ms: number) => new Date(NOW.getTime() - ms)
const here = (sentAt: readonly Date[]) => ({ here: sentAt, anywhere: sentAt })
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

test('from all addresses a hundred are sent in an hour, with no pause between', () => {
  const sent = (count: number) => ({ here: [], anywhere: Array.from({ length: count }, () => ago(1)) })
  expect(decideCode(sent(99), NOW)).toMatchObject({ kind: 'code' })
  expect(decideCode(sent(100), NOW)).toMatchObject(retryAfter(3_600))
})

test('what is older than an hour is forgotten, so the list stays short', () => {
  const sentAt = [ago(3 * HOUR_MS), ago(2 * HOUR_MS), ago(60_000)]
  expect(decideCode({ here: sentAt, anywhere: sentAt }, NOW)).toEqual({
    kind: 'code',
    sent: { here: [ago(60_000), NOW], anywhere: [ago(60_000), NOW] },
  })
})
