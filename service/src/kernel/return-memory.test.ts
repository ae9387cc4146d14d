import { afterEach, expect, test } from 'vitest'
import { returnMemoryWhenQuiet } from './return-memory.ts'

const CHECK_EVERY_MS = 50
let end: (() => void) | undefined

afterEach(() => end?.())

/** An object that nothing refers to. */
function dropped(): WeakRef<object> {
  return new WeakRef({ bytes: new Uint8Array(1_000_000) })
}

function work(milliseconds: number): void {
  const until = performance.now() + milliseconds
  while (performance.now() < until);
}

test('what nothing refers to is collected when the thread is quiet, and again after it was busy', async () => {
  end = returnMemoryWhenQuiet({ checkEveryMs: CHECK_EVERY_MS })
  const ofStart = dropped()
  await expect.poll(() => ofStart.deref() === undefined, { timeout: 20_000 }).toBe(true)

  work(3 * CHECK_EVERY_MS)
  const ofWork = dropped()
  await expect.poll(() => ofWork.deref() === undefined, { timeout: 20_000 }).toBe(true)
})
