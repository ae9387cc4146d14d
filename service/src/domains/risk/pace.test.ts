import { expect, describe as group, test } from 'vitest'
import { firstUuidAt } from '../../kernel/ids.ts'
import { decidePace } from './pace.ts'

const startMs = new Date('2026-11-20T06:30:00.000Z').getTime()
const at = (ms: number) => firstUuidAt(new Date(startMs + ms))
const next = at(0)

group('a stretch of the book', () => {
  test('is taken at once in ordinary load, up to what has settled', () => {
    expect(decidePace({ next, crowd: null }, at(1))).toEqual({ next, below: at(1), isBusy: false })
    expect(decidePace({ next, crowd: null }, at(9_999))).toEqual({ next, below: at(9_999), isBusy: false })
  })

  test('is ten seconds long in ordinary load, however long nobody read', () => {
    const taken = { next, below: at(10_000), isBusy: false }
    expect(decidePace({ next, crowd: null }, at(3_600_000))).toEqual(taken)
    expect(decidePace({ next, crowd: at(10_000) }, at(3_600_000))).toEqual(taken)
  })

  test('grows to a minute under heavy load, to the millisecond', () => {
    expect(decidePace({ next, crowd: at(9_999) }, at(59_999))).toBeNull()
    expect(decidePace({ next, crowd: at(9_999) }, at(60_000))).toEqual({
      next,
      below: at(60_000),
      isBusy: true,
    })
  })

  test('is no longer than a minute, however much waits', () => {
    const waiting = { next, crowd: at(1) }
    expect(decidePace(waiting, at(3_600_000))).toEqual({ next, below: at(60_000), isBusy: true })
  })
})
