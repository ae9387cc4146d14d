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

/** How many attempts begin in ten seconds if there are always more waiting. */
function begunInTenSeconds(): number {
  const throttle = openThrottle(() => busy)
  let begun = 0
  const want = () => throttle.enter(() => (begun++, want()))
  for (let times = 0; times < 64; times++) want()
  vi.advanceTimersByTime(10_000)
  vi.clearAllTimers()
  return begun
}

test('attempts start at once while the event loop is idle, and at a low rate under a full load of payments', () => {
  expect(openThrottle(() => 0.49).isOpen()).toBe(true)
  expect(openThrottle(() => 0.5).isOpen()).toBe(false)
  busy = 1
  expect(begunInTenSeconds()).toBe(10_000)
  busy = 0.62
  expect(begunInTenSeconds()).toBe(10_000)
  busy = 0.56
  expect(begunInTenSeconds()).toBeCloseTo(20_000, -1)
})

test('a timer that is late allows what the time since the last one does', () => {
  busy = 1
  const throttle = openThrottle(() => busy)
  let begun = 0
  const want = () => throttle.enter(() => (begun++, want()))
  want()
  const late = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 100)
  vi.advanceTimersByTime(10)
  expect(begun).toBe(100)
  late.mockRestore()
})

test('waiting attempts start in the order of their requests, so no receiver overtakes another', () => {
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
  expect(begun.length).toBe(1_000)
  expect(begun.slice(0, 6)).toEqual(['a', 'b', 'c', 'a', 'b', 'c'])
  busy = 0
  expect(throttle.isOpen()).toBe(false)
})

test('an attempt that waits again while the throttle is closed is started later', () => {
  busy = 1
  const throttle = openThrottle(() => busy)
  let begun = 0
  throttle.enter(() => throttle.enter(() => begun++))
  throttle.close()
  vi.advanceTimersByTime(1_000)
  expect([begun, vi.getTimerCount()]).toEqual([1, 0])
})

test('closing the throttle starts all waiting attempts and leaves no timer', () => {
  busy = 1
  const throttle = openThrottle(() => busy)
  let begun = 0
  for (let times = 0; times < 5; times++) throttle.enter(() => begun++)
  throttle.close()
  expect([begun, vi.getTimerCount()]).toEqual([5, 0])
})
