import type { CallOptions } from './options.ts'

/** setTimeout holds no more. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** A RangeError when a call cannot be as patient as this. */
export function checkPatience({ timeoutMs = 1, maxRetries = 0 }: CallOptions): void {
  if (!Number.isFinite(timeoutMs) || timeoutMs <= 0)
    throw new RangeError('timeoutMs is a number of milliseconds above 0')
  if (!Number.isSafeInteger(maxRetries) || maxRetries < 0)
    throw new RangeError('maxRetries is 0 or a whole number above it')
}

/** What `within` is rejected with when time is up. */
export class TimeIsUp extends Error {
  override readonly name = 'TimeIsUp'
}

/**
 * Does something that can be given up, within a time. It rejects at once with the caller's own reason when she aborts,
 * and with `TimeIsUp` if it took too long, even if the work ignores its signal.
 */
export async function within<T>(
  ms: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  const controller = new AbortController()
  const { promise, reject } = ending()
  const end = (reason: unknown) => {
    reject(reason)
    controller.abort(reason)
  }
  const onAbort = () => end(signal?.reason)
  const timer = setTimeout(() => end(new TimeIsUp()), Math.min(ms, MAX_TIMER_MS))
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([promise, work(controller.signal)])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

/** A promise that only ever ends badly, and by hand. */
function ending(): { promise: Promise<never>; reject: (reason: unknown) => void } {
  let reject: (reason: unknown) => void = () => {}
  const promise = new Promise<never>((_, how) => {
    reject = how
  })
  return { promise, reject }
}

/** Waits; an abort ends it at once with its reason. */
export async function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await within(ms, signal, () => new Promise<never>(() => {}))
  } catch (error) {
    if (!(error instanceof TimeIsUp)) throw error
  }
}

/** Asks once and keeps the answer; a failure is not kept. Each caller waits for it no longer than her signal allows. */
export function remembered<T>(ask: () => Promise<T>): (signal: AbortSignal | undefined) => Promise<T> {
  let known: Promise<T> | null = null
  return signal => {
    known ??= ask().catch((error: unknown) => {
      known = null
      throw error
    })
    const answer = known
    return signal === undefined ? answer : within(Number.POSITIVE_INFINITY, signal, () => answer)
  }
}
