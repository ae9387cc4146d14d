import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { discard } from './discard.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => vi.useRealTimers())

/** A response of so many KiB, which then stalls or ends. */
function responseOf(kibibytes: number, endsThere: boolean) {
  const seen = { kibibytes: 0, isCancelled: false }
  const nothingMore = new Promise<void>(() => {})
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (seen.kibibytes === kibibytes) return endsThere ? controller.close() : nothingMore
      seen.kibibytes += 1
      controller.enqueue(new Uint8Array(1_024))
    },
    cancel() {
      seen.isCancelled = true
    },
  })
  // As a packed body may truly have it.
  return { seen, response: new Response(body, { headers: { 'content-length': '809' } }) }
}

test('a short response is read to its end, so that its connection can be reused', async () => {
  const { seen, response } = responseOf(3, true)
  discard(response)
  await vi.waitFor(() => expect(seen).toEqual({ kibibytes: 3, isCancelled: false }))
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(0))
})

test('little is read of a compressed response that is longer than its content-length', async () => {
  const { seen, response } = responseOf(10_240, true)
  discard(response)
  await vi.waitFor(() => expect(seen.isCancelled).toBe(true))
  expect(seen.kibibytes).toBeLessThan(100)
})

test('a slow response is cancelled after a second', async () => {
  const { seen, response } = responseOf(1, false)
  discard(response)
  await vi.advanceTimersByTimeAsync(999)
  expect(seen.isCancelled).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(seen.isCancelled).toBe(true)
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(0))
})

test('an unreadable response is not an error', async () => {
  const { response } = responseOf(1, true)
  await response.text()
  discard(response)
  discard(new Response(null))
  expect(vi.getTimerCount()).toBe(0)
})
