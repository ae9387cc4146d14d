import { expect, test } from 'vitest'
import { rateLimitExceeded } from './rate-limit-exceeded.ts'

test('a 429 says that nothing is left and names one moment for the next try, in all its headers and its message', () => {
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

test('a 429 never asks for a repetition at once', () => {
  expect(rateLimitExceeded('Too many', 1, 0).headers).toMatchObject({
    'retry-after': '1',
    'ratelimit-reset': '1',
  })
})
