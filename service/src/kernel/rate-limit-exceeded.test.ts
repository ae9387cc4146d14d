import { expect, test } from 'vitest'
import { rateLimitExceeded } from './rate-limit-exceeded.ts'

test('the headers and the message of a 429 agree: nothing is left, and one time for the next try', () => {
  expect(rateLimitExceeded('More than 100 requests in a minute', 100, 11_001)).toEqual({
    kind: 'refusal',
    code: 'rate_limit_exceeded',
    message: 'More than 100 requests in a minute; try again in 12 s',
    headers: {
      'ratelimit-limit': '100',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '12',
      'retry-after': '12',
    },
  })
})

test('a 429 never has a Retry-After of 0', () => {
  expect(rateLimitExceeded('Too many', 1, 0).headers).toMatchObject({
    'retry-after': '1',
    'ratelimit-reset': '1',
  })
})
