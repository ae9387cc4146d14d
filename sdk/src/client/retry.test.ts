import { describe, expect, test } from 'vitest'
import { decideRetry, type FailedAttempt, MAX_WAIT_MS, retryAfterMsOf } from './retry.ts'

const lost: FailedAttempt = {
  isSafe: true,
  attempt: 1,
  maxRetries: 3,
  code: 'network_error',
  status: null,
  retryAfterMs: null,
  random: 0.5,
}

const refused = (code: string, status: number, more: Partial<FailedAttempt> = {}): FailedAttempt => ({
  ...lost,
  code,
  status,
  ...more,
})

const isRetried = (failed: FailedAttempt) => decideRetry(failed) !== null

describe('a call is tried again', () => {
  test('when there was no response to a request that is safe to repeat', () => {
    for (const code of ['network_error', 'timeout']) expect(isRetried({ ...lost, code })).toBe(true)
  })

  test('never when there was no response to any other request: it may have been executed', () => {
    const isSafe = false
    for (const code of ['network_error', 'timeout']) expect(isRetried({ ...lost, isSafe, code })).toBe(false)
    expect(isRetried(refused('service_unavailable', 503, { isSafe }))).toBe(false)
    expect(isRetried(refused('rate_limit_exceeded', 429, { isSafe }))).toBe(true)
  })

  test('when the service, or a proxy before it, is unavailable or busy', () => {
    for (const failed of [
      refused('rate_limit_exceeded', 429),
      refused('gateway_error', 502),
      refused('service_unavailable', 503),
      refused('invalid_response', 504),
    ])
      expect(isRetried(failed), String(failed.status)).toBe(true)
  })

  test('when the first request with the key still runs, but not when the key was used', () => {
    expect(isRetried(refused('idempotency_error', 409, { retryAfterMs: 1_000 }))).toBe(true)
    expect(isRetried(refused('idempotency_error', 409))).toBe(false)
  })

  test('never when the response would be the same', () => {
    for (const failed of [
      refused('validation_error', 400),
      refused('insufficient_balance', 402),
      refused('conflict', 409, { retryAfterMs: 1_000 }),
      refused('internal_error', 500),
      refused('invalid_response', 200),
    ])
      expect(isRetried(failed), failed.code).toBe(false)
  })

  test('at most as often as allowed', () => {
    expect(isRetried({ ...lost, attempt: 3 })).toBe(true)
    expect(isRetried({ ...lost, attempt: 4 })).toBe(false)
    expect(isRetried({ ...lost, maxRetries: 0 })).toBe(false)
  })
})

describe('the wait', () => {
  test('is random below a bound that doubles, up to 8 s', () => {
    const bounds = [1, 2, 3, 6, 9].map(attempt =>
      decideRetry({ ...lost, attempt, maxRetries: 9, random: 0.999_999 }),
    )
    expect(bounds.map(bound => Math.ceil(bound ?? 0))).toEqual([250, 500, 1_000, 8_000, 8_000])
    expect(decideRetry({ ...lost, random: 0 })).toBe(0)
  })

  test('is at least as long as the service asks, and at most a minute', () => {
    const busy = (retryAfterMs: number) => decideRetry(refused('rate_limit_exceeded', 429, { retryAfterMs }))
    expect(busy(5_000)).toBe(5_125)
    expect(busy(MAX_WAIT_MS)).toBe(MAX_WAIT_MS)
    expect(busy(MAX_WAIT_MS + 1)).toBeNull()
  })
})

test('Retry-After is read as seconds or as a date, and nothing else', () => {
  const now = Date.UTC(2026, 10, 20, 10, 15, 30)
  expect(retryAfterMsOf('7', now)).toBe(7_000)
  expect(retryAfterMsOf('0', now)).toBe(0)
  expect(retryAfterMsOf('Fri, 20 Nov 2026 10:15:40 GMT', now)).toBe(10_000)
  expect(retryAfterMsOf('Friday, 20-Nov-26 10:15:40 GMT', now)).toBe(10_000)
  expect(retryAfterMsOf('Fri Nov 20 10:15:40 2026', now)).toBe(10_000)
  expect(retryAfterMsOf('Sun Dec  6 10:15:30 2026', now)).toBe(16 * 86_400_000)
  expect(retryAfterMsOf('Fri, 20 Nov 2026 10:15:00 GMT', now)).toBe(0)
  const others = ['', 'soon', '-1', '1e3', '99999999999', 'A 1', 'May 2', 'Fri, 99 Nov 2026 10:15:40 GMT']
  for (const text of [null, ...others]) expect(retryAfterMsOf(text, now), String(text)).toBeNull()
})
