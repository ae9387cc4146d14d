import { expect, describe as group, test } from 'vitest'
import { firstUuidAt } from '../../../kernel/ids.ts'
import { decideNextStretch } from './next-stretch.ts'

const startMs = new Date('2026-11-20T06:30:00.000Z').getTime()
const at = (ms: number) => firstUuidAt(new Date(startMs + ms))
const next = at(0)

group('a stretch', () => {
  test('in ordinary load the stretch is evaluated at once, up to the newest transfer that is old enough', () => {
    expect(decideNextStretch({ next, heavyLoadId: null }, at(1))).toEqual({
      next,
      below: at(1),
      isBusy: false,
    })
    expect(decideNextStretch({ next, heavyLoadId: null }, at(9_999))).toEqual({
      next,
      below: at(9_999),
      isBusy: false,
    })
  })

  test('in ordinary load a stretch is ten seconds long, however long ago the last run was', () => {
    const taken = { next, below: at(10_000), isBusy: false }
    expect(decideNextStretch({ next, heavyLoadId: null }, at(3_600_000))).toEqual(taken)
    expect(decideNextStretch({ next, heavyLoadId: at(10_000) }, at(3_600_000))).toEqual(taken)
  })

  test('under heavy load a stretch grows to exactly a minute', () => {
    expect(decideNextStretch({ next, heavyLoadId: at(9_999) }, at(59_999))).toBeNull()
    expect(decideNextStretch({ next, heavyLoadId: at(9_999) }, at(60_000))).toEqual({
      next,
      below: at(60_000),
      isBusy: true,
    })
  })

  test('a stretch is no longer than a minute, however many transfers wait', () => {
    const unread = { next, heavyLoadId: at(1) }
    expect(decideNextStretch(unread, at(3_600_000))).toEqual({ next, below: at(60_000), isBusy: true })
  })
})
