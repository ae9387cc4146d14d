import { describe, expect, test } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../../kernel/clock.ts'
import type { AttemptResult, DeliveryOutcome } from './attempt.ts'
import { decideOutcome, MAX_ATTEMPTS, RETRY_DELAYS_MS } from './decide.ts'

const NOW = new Date('2026-11-20T10:00:00.000Z')
const MIDDLE = 0.5

function responded(status: number, retryAfter: string | null = null): AttemptResult {
  return { kind: 'responded', status, retryAfter }
}

const WITHOUT_RESPONSE: AttemptResult = { kind: 'no_response', error: 'Nobody listens at this address' }

function decide(result: AttemptResult, attempts = 1, random = MIDDLE): DeliveryOutcome {
  return decideOutcome(result, { attempts, now: NOW, realNow: NOW, random })
}

function pending(result: AttemptResult, attempts = 1, random = MIDDLE) {
  const outcome = decide(result, attempts, random)
  if (outcome.status !== 'pending') throw new Error(`it is ${outcome.status}`)
  const { pausedUntil, nextAttemptAt } = outcome
  return {
    delayMs: nextAttemptAt.getTime() - NOW.getTime(),
    pauseMs: pausedUntil === null ? null : pausedUntil.getTime() - NOW.getTime(),
  }
}

describe('what counts as delivered', () => {
  test.each([200, 201, 202, 204, 299])(
    'a response of %i counts as delivered at any attempt',
    responseStatus => {
      for (const attempts of [1, MAX_ATTEMPTS, MAX_ATTEMPTS + 5]) {
        expect(decide(responded(responseStatus, '3600'), attempts)).toEqual({
          status: 'delivered',
          responseStatus,
        })
      }
    },
  )

  test.each([300, 301, 302, 304, 307, 308, 400, 401, 404, 409, 411, 422, 429, 500, 502, 503, 504, 599, 999])(
    'a response of %i does not count as delivered, and the delivery is retried',
    status => {
      expect(decide(responded(status))).toMatchObject({ status: 'pending', responseStatus: status })
    },
  )

  test('no response does not count as delivered, and the delivery is retried with the reason in its error', () => {
    expect(decide(WITHOUT_RESPONSE)).toMatchObject({
      status: 'pending',
      responseStatus: null,
      error: 'Nobody listens at this address',
      pausedUntil: null,
    })
  })

  test('a response of 410 fails the delivery at any attempt and marks the receiver as gone', () => {
    for (const attempts of [1, MAX_ATTEMPTS]) {
      expect(decide(responded(410, '5'), attempts)).toEqual({
        status: 'failed',
        responseStatus: 410,
        error: 'The receiver responded with 410: nothing more is sent until webhook_url is set again',
        isGone: true,
      })
    }
  })
})

describe('the retry schedule', () => {
  test('is 5 s, 5 m, 30 m, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h after the end of the attempt before', () => {
    const minutes = [5 / 60, 5, 30, 120, 300, 600, 840, 1200, 1440]
    const delays = minutes.map((_, index) => pending(WITHOUT_RESPONSE, index + 1).delayMs / 60_000)
    expect(delays).toEqual(minutes)
    expect(RETRY_DELAYS_MS).toHaveLength(MAX_ATTEMPTS - 1)
  })

  test('varies by at most 20 % both ways', () => {
    for (let attempts = 1; attempts < MAX_ATTEMPTS; attempts += 1) {
      const delayMs = RETRY_DELAYS_MS[attempts - 1] ?? 0
      expect(pending(WITHOUT_RESPONSE, attempts, 0).delayMs).toBe(0.8 * delayMs)
      const latest = pending(WITHOUT_RESPONSE, attempts, 1 - Number.EPSILON).delayMs
      expect(Math.abs(latest - 1.2 * delayMs)).toBeLessThanOrEqual(1)
    }
  })

  test.each([MAX_ATTEMPTS, MAX_ATTEMPTS + 1, 50])('failed attempt %i is the last one', attempts => {
    expect(MAX_ATTEMPTS).toBe(10)
    const outcome = {
      status: 'failed',
      responseStatus: 503,
      error: 'The receiver responded with 503',
      isGone: false,
    }
    expect(decide(responded(503, '60'), attempts)).toEqual(outcome)
    expect(decide(WITHOUT_RESPONSE, attempts)).toMatchObject({
      status: 'failed',
      responseStatus: null,
      isGone: false,
    })
  })
})

describe('Retry-After', () => {
  test.each([
    ['60', 60_000],
    [' 7 ', 7_000],
    ['86400', DAY_MS],
    ['86401', DAY_MS],
    ['9'.repeat(400), DAY_MS],
    ['Fri, 20 Nov 2026 10:02:00 GMT', 120_000],
    ['Friday, 20-Nov-26 10:02:00 GMT', 120_000],
    ['Fri Nov 20 10:02:00 2026', 120_000],
    ['Tue, 20 Nov 2029 10:02:00 GMT', DAY_MS],
  ])('%j delays the next attempt, by a day at most', (retryAfter, delayMs) => {
    for (const status of [301, 400, 429, 500, 503]) {
      expect(pending(responded(status, retryAfter)).delayMs).toBe(delayMs)
    }
  })

  test.each([
    '',
    '0',
    '-60',
    '+60',
    '60.5',
    '1e3',
    '0x99',
    '60 s',
    '60, 120',
    'soon',
    'NaN',
    'Infinity',
    '2026-11-20T10:02:00Z',
    'Fri, 20 Nov 2026 10:02:00',
    'Fri, 20 Nov 2026 10:02:00 +0000',
    'Xyz, 99 Abc 2026 10:02:00 GMT',
    'Fri, 20 Nov 2026 09:00:00 GMT',
    '６０',
  ])('%j is invalid, so the schedule applies', retryAfter => {
    expect(pending(responded(503, retryAfter))).toEqual({ delayMs: 5_000, pauseMs: null })
  })

  test('refers to the real time, whatever the test clock of the sandbox shows', () => {
    const moved = new Date(NOW.getTime() + 30 * DAY_MS)
    const ended = { attempts: 1, now: moved, realNow: NOW, random: MIDDLE }
    expect(decideOutcome(responded(503, 'Fri, 20 Nov 2026 10:02:00 GMT'), ended)).toMatchObject({
      nextAttemptAt: new Date(moved.getTime() + 120_000),
    })
  })

  test('never brings an attempt forward', () => {
    expect(pending(responded(503, '60'), 4).delayMs).toBe(2 * HOUR_MS)
  })

  test('is not shortened by jitter', () => {
    expect(pending(responded(503, '5'), 1, 0).delayMs).toBe(5_000)
  })
})

describe('a pause of the whole endpoint', () => {
  test.each([429, 503])('lasts as long as a %i with Retry-After asks for, an hour at most', status => {
    expect(pending(responded(status, '60')).pauseMs).toBe(60_000)
    expect(pending(responded(status, '60'), 5).pauseMs).toBe(60_000)
    expect(pending(responded(status, '86400')).pauseMs).toBe(HOUR_MS)
  })

  test.each([
    [429, null],
    [502, null],
    [504, null],
    [503, 'soon'],
    [502, '60'],
    [500, '60'],
    [301, '60'],
  ])('is not caused by %i with Retry-After %j', (status, retryAfter) => {
    expect(pending(responded(status, retryAfter)).pauseMs).toBeNull()
  })
})

test.each([
  [503, 'The receiver responded with 503'],
  [404, 'The receiver responded with 404'],
  [304, 'The receiver responded with 304'],
  [301, 'The receiver redirected (301): redirects are not followed'],
  [308, 'The receiver redirected (308): redirects are not followed'],
])('the last_error after a response of %i is: %s', (status, error) => {
  expect(decide(responded(status, 'evil words'))).toMatchObject({ error })
})
