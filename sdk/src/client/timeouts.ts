import type { CallOptions } from './options.ts'

/** The maximum of setTimeout. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Throws a RangeError for an invalid timeout or number of retries. */
export function checkTimeouts({ timeoutMs = 1, maxRetries = 0 }: CallOptions): void {
  if (!Number.isFinite(timeoutMs) || timeoutMs <= 0)
    throw new RangeError('timeoutMs must be a number of milliseconds above 0')
  if (!Number.isSafeInteger(maxRetries) || maxRetries < 0)
    throw new RangeError('maxRetries must be a whole number, 0 or more')
}

/** The rejection of `within` after the time limit. */
export class TimeIsUp extends Error {
  override readonly name = 'TimeIsUp'
}

/**
 * Runs abortable work within a time limit. It rejects at once with the caller's reason if she aborts, and with
 * `TimeIsUp` after the limit, even if the work ignores its signal.
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

/** A promise that can only be rejected, from outside. */
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

/** Requests once and keeps the response; a failure is not kept. Each caller waits only as long as her signal allows. */
export function remembered<T>(ask: () => Promise<T>): (signal: AbortSignal | undefined) => Promise<T> {
  let known: Promise<T> | null = null
  return signal => {
    known ??= ask().catch((error: unknown) => {
      known = null
      throw error
    })
    const response = known
    return signal === undefined ? response : within(Number.POSITIVE_INFINITY, signal, () => response)
  }
}

/** Runs until it is stopped, but does not prevent the process from ending. */
export function repeat(everyMs: number, run: () => void): () => void {
  const timer = unrefed(setInterval(run, everyMs))
  return () => clearInterval(timer)
}

/** Waits, but does not prevent the process from ending; an abort ends the wait at once. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    unrefed(setTimeout(resolve, ms))
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

function unrefed<Timer>(timer: Timer): Timer {
  ;(timer as { unref?(): void }).unref?.()
  return timer
}
