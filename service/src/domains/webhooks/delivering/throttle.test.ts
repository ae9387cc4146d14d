import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openThrottle } from './throttle.ts'

let busy = 0

beforeEach(() => {
  busy = 0
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** How many attempts of one who always wants another may begin in ten seconds. */
function begunInTenSeconds(): number {
  const throttle = openThrottle(() => busy)
  let begun = 0
  const want = () => throttle.enter(() => (begun++, want()))
  for (let times = 0; times < 64; times++) want()
  vi.advanceTimersByTime(10_000)
  vi.clearAllTimers()
  return begun
}

test('while payments leave time to spare nobody waits, and under a full load some still go out', () => {
  expect(openThrottle(() => 0.49).isOpen()).toBe(true)
  expect(openThrottle(() => 0.5).isOpen()).toBe(false)
  busy = 1
  expect(begunInTenSeconds()).toBe(2_000)
  busy = 0.62
  expect(begunInTenSeconds()).toBe(2_000)
  busy = 0.56
  expect(begunInTenSeconds()).toBeCloseTo(16_000, -1)
})

test('who asks waits behind those who asked before, so no receiver takes another one’s turn', () => {
  busy = 1
  const throttle = openThrottle(() => busy)
  const begun: string[] = []
  const want = (who: string) =>
    throttle.enter(() => {
      begun.push(who)
      want(who)
    })
  for (const who of ['a', 'b', 'c']) want(who)
  vi.advanceTimersByTime(1_000)
  expect(begun.length).toBe(200)
  expect(begun.slice(0, 6)).toEqual(['a', 'b', 'c', 'a', 'b', 'c'])
  busy = 0
  expect(throttle.isOpen()).toBe(false)
})

test('who waits when it closes is let go, and no timer stays behind', () => {
  busy = 1
  const throttle = openThrottle(() => busy)
  let begun = 0
  for (let times = 0; times < 5; times++) throttle.enter(() => begun++)
  throttle.close()
  expect([begun, vi.getTimerCount()]).toEqual([5, 0])
})
